/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that only the shell itself can be. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

static int run_colon(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 0;
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
	exit(number_argument(argc, argv, shell.status) & 0xff);
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

static int run_cd(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : var_get("HOME");

	if (path && chdir(path) < 0) {
		complain("can't cd to %s", path);
		return STATUS_ERROR;
	}
	return 0;
}

static int run_exec(int argc, char **argv)
{
	if (argc > 1)
		execute(argv + 1);
	return 0;
}

static int run_export(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "-p"))
		vars_print(true);
	for (int i = 1; i < argc; i++) {
		size_t length = name_length(argv[i]);
		char *name = arena_copy(&temp_arena, argv[i], length);

		if (!strcmp(argv[i], "-p"))
			continue;
		if (length == 0 || (argv[i][length] && argv[i][length] != '='))
			fail("%s: bad variable name", argv[i]);
		if (argv[i][length])
			var_set(name, argv[i] + length + 1);
		var_export(name, true);
	}
	return 0;
}

static int run_unset(int argc, char **argv)
{
	bool function = argc > 1 && !strcmp(argv[1], "-f");
	bool variable = argc > 1 && !strcmp(argv[1], "-v");

	for (int i = 1 + (function || variable); i < argc; i++) {
		if (function)
			function_unset(argv[i]);
		else if (is_name(argv[i]))
			var_set(argv[i], NULL);
		else
			fail("%s: bad variable name", argv[i]);
	}
	return 0;
}

static int run_set(int argc, char **argv)
{
	struct parameters old = parameters;
	int first = 1;

	if (argc == 1) {
		vars_print(false);
		return 0;
	}
	if (!strcmp(argv[1], "--"))
		first = 2;
	else if (argv[1][0] == '-' || argv[1][0] == '+')
		fail("Illegal option %s", argv[1]);
	parameters_set(argv + first, argc - first);
	parameters_free(&old);
	return 0;
}

static int run_shift(int argc, char **argv)
{
	int count = number_argument(argc, argv, 1);
	struct parameters old = parameters;

	if (count > old.count)
		fail("can't shift that many");
	parameters_set(old.items + count, old.count - count);
	parameters_free(&old);
	return 0;
}

static int run_wait(int argc, char **argv)
{
	int status = 0;

	if (argc == 1)
		jobs_wait_all();
	for (int i = 1; i < argc; i++) {
		long pid = parse_number(argv[i]);

		if (pid < 0) {
			complain("Illegal number: %s", argv[i]);
			return STATUS_ERROR;
		}
		status = job_wait(pid);
	}
	return status;
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

/* . FILE: in this shell; a name without a slash is looked for here. */
static int run_dot(int argc, char **argv)
{
	struct input in;
	int status, fd;

	if (argc < 2)
		return 0;
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("cannot open %s: %s", argv[1], errno == ENOENT ?
		     "No such file" : strerror(errno));
	fd = move_fd_up(fd);
	input_push_fd(&in, fd, false, false);
	status = run_input();
	close(fd);
	if (control.jump == JUMP_RETURN)
		control.jump = JUMP_NONE;
	return status;
}

const struct builtin *find_builtin(const char *name)
{
	static const struct builtin builtins[] = {
		{ ".", true, run_dot },
		{ ":", true, run_colon },
		{ "break", true, run_break },
		{ "cd", false, run_cd },
		{ "continue", true, run_break },
		{ "eval", true, run_eval },
		{ "exec", true, run_exec },
		{ "exit", true, run_exit },
		{ "export", true, run_export },
		{ "return", true, run_return },
		{ "set", true, run_set },
		{ "shift", true, run_shift },
		{ "unset", true, run_unset },
		{ "wait", false, run_wait },
	};

	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}
