/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that the shell runs itself. */
#include <commands.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell.h"

static int run_true(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

static int run_false(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 1;
}

/* The number in argv[1], or what is given if there is none. */
static int number_argument(int argc, char **argv, int otherwise)
{
	long number;

	if (argc < 2)
		return otherwise;
	number = parse_number(argv[1]);
	if (number < 0 || number > 0x7fffffff)
		fail("Illegal number: %s", argv[1]);
	return number;
}

static int run_exit(int argc, char **argv)
{
	int status = number_argument(argc, argv, shell.status) & 0xff;

	if (jobs_keep_shell())
		return 0;
	shell_exit(status);
}

static int run_return(int argc, char **argv)
{
	int status = number_argument(argc, argv, shell.status);

	control.jump = JUMP_RETURN;
	return status;
}

/* break and continue, which do nothing outside of a loop. */
static int run_break(int argc, char **argv)
{
	int levels = number_argument(argc, argv, 1);

	if (levels == 0)
		fail("Illegal number: %s", argv[1]);
	if (control.loops > 0) {
		control.jump = *argv[0] == 'b' ? JUMP_BREAK : JUMP_CONTINUE;
		control.levels = levels < control.loops ? levels :
							  control.loops;
	}
	return 0;
}

static int run_exec(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--"))
		argv++, argc--;
	if (argc > 1)
		execute(argv + 1);
	return 0;
}

static int run_eval(int argc, char **argv)
{
	struct input in;
	size_t length = 0;
	char *text;

	for (int i = 1; i < argc; i++)
		length += strlen(argv[i]) + 1;
	text = arena_alloc(&temp_arena, length + 1);
	text[0] = '\0';
	length = 0;
	for (int i = 1; i < argc; i++) {
		strcpy(text + length, argv[i]);
		length += strlen(argv[i]);
		if (i + 1 < argc)
			text[length++] = ' ';
	}
	input_push_text(&in, text);
	return run_input();
}

/* A name without a slash is looked for in PATH only. */
static const char *find_dot(const char *name)
{
	const char *path = var_get("PATH");
	char *candidate;
	struct stat st;

	if (strchr(name, '/'))
		return name;
	while ((candidate = next_candidate(&path, name)))
		if (stat(candidate, &st) == 0 && S_ISREG(st.st_mode) &&
		    access(candidate, R_OK) == 0)
			return candidate;
	fail("%s: not found", name);
}

/* . FILE: in this shell. */
static int run_dot(int argc, char **argv)
{
	const char *path, *error;
	struct input in;
	int status, fd;

	if (argc < 2)
		return 0;
	path = find_dot(argv[1]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("cannot open %s: %s", path, errno == ENOENT ?
		     "No such file" : strerror(errno));
	error = binary_error(fd);
	if (error) {
		close(fd);
		fail(BINARY_ERROR, path, error);
	}
	fd = move_fd_up(fd);
	input_push_fd(&in, fd, false, false);
	shell.builtin = path;
	status = run_input();
	if (control.jump == JUMP_RETURN)
		control.jump = JUMP_NONE;
	return status;
}

static void print_times(int who)
{
	struct rusage used = { .ru_utime = { 0 } };

	getrusage(who, &used);
	printf("%ldm%ld.%06lds %ldm%ld.%06lds\n",
	       (long)used.ru_utime.tv_sec / 60, (long)used.ru_utime.tv_sec % 60,
	       (long)used.ru_utime.tv_usec, (long)used.ru_stime.tv_sec / 60,
	       (long)used.ru_stime.tv_sec % 60, (long)used.ru_stime.tv_usec);
}

/* times: the shell's, as a program and in the kernel; and its children's. */
static int run_times(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	print_times(RUSAGE_SELF);
	print_times(RUSAGE_CHILDREN);
	return 0;
}

static int run_test(int argc, char **argv)
{
	return command_test(argc, argv, complain);
}

static int run_printf(int argc, char **argv)
{
	return command_printf(argc, argv, complain);
}

/* As dash's: escapes count, -n leaves the newline out. */
static int run_echo(int argc, char **argv)
{
	bool newline = argc < 2 || strcmp(argv[1], "-n");

	for (int i = newline ? 1 : 2; i < argc; i++) {
		const char *text = argv[i];

		while (*text) {
			int c = (unsigned char)*text++;

			if (c == '\\' && *text == 'c')
				return 0;
			if (c == '\\') {
				int escaped = escaped_char(&text, true);

				c = escaped >= 0 ? escaped : c;
			}
			putchar(c);
		}
		if (i + 1 < argc)
			putchar(' ');
	}
	if (newline)
		putchar('\n');
	return 0;
}

static const struct builtin builtins[] = {
	{ ".", true, run_dot },
	{ ":", true, run_true },
	{ "[", false, run_test },
	{ "alias", false, run_alias },
	{ "bg", false, run_bg },
	{ "break", true, run_break },
	{ "cd", false, run_cd },
	{ "command", false, run_command },
	{ "continue", true, run_break },
	{ "echo", false, run_echo },
	{ "eval", true, run_eval },
	{ "exec", true, run_exec },
	{ "exit", true, run_exit },
	{ "export", true, run_export },
	{ "false", false, run_false },
	{ "fg", false, run_fg },
	{ "getopts", false, run_getopts },
	{ "hash", false, run_hash },
	{ "jobs", false, run_jobs },
	{ "kill", false, run_kill },
	{ "local", true, run_local },
	{ "printf", false, run_printf },
	{ "pwd", false, run_pwd },
	{ "read", false, run_read },
	{ "readonly", true, run_readonly },
	{ "return", true, run_return },
	{ "set", true, run_set },
	{ "shift", true, run_shift },
	{ "test", false, run_test },
	{ "times", true, run_times },
	{ "trap", true, run_trap },
	{ "true", false, run_true },
	{ "type", false, run_type },
	{ "ulimit", false, run_ulimit },
	{ "umask", false, run_umask },
	{ "unalias", false, run_unalias },
	{ "unset", true, run_unset },
	{ "wait", false, run_wait },
};

const struct builtin *find_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}
