/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sh [-i] [FILE [ARGUMENT]...], sh -c COMMANDS [NAME [ARGUMENT]...],
 * sh -s [ARGUMENT]...: the shell; with the options of set (-e, -x, ...) besides.
 * -i prompts, and lets the shell live on after an error, as it does without -i
 * when the commands are typed at a terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

struct shell shell = { .name = "sh" };
struct arena tree_arena, temp_arena;

int run_input(void)
{
	struct input *in = input;
	bool end = false;
	int status = 0;

	while (!control.jump) {
		size_t mark = arena_mark(&tree_arena);
		struct node *node;

		input_next_prompt(PROMPT_COMMAND);
		node = parse_line(&end);
		if (end && in->prompting && jobs_keep_shell()) {
			input_go_on();
			continue;
		}
		if (end)
			break;
		if (node) {
			status = run_node(node, false);
			if (in->prompting)
				jobs_command_done();
		}
		arena_release(&tree_arena, mark);
	}
	input_pop_until(in->outer);
	return status;
}

/* The console: after an error, with the next line. */
static int run_interactively(void)
{
	struct input in;

	terminal_init();
	input_push_fd(&in, STDIN_FILENO, true, true);
	recovery_input = &in;
	shell.recovers = true;
	if (__builtin_setjmp(recovery)) {
		input_discard_line();
		lexer_reset();
		shell.builtin = NULL;
		redirect_undo(NULL);
		locals_restore(NULL);
		job_end(0, 0);
		arena_release(&temp_arena, 0);
		arena_release(&tree_arena, 0);
		control = (struct control) { .jump = JUMP_NONE };
		failure = NULL;
		traps_run();
	}
	return run_input();
}

static int open_script(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *error;

	if (fd < 0)
		fail("cannot open %s: %s", path,
		     errno == ENOENT ? "No such file" : strerror(errno));
	error = binary_error(fd);
	if (error) {
		complain(BINARY_ERROR, path, error);
		exit(STATUS_NOT_EXECUTABLE);
	}
	return move_fd_up(fd);
}

/* A word of options: i, c, s, and those that set has; returns as those do. */
static int parse_options(char **words, bool *command, bool *standard)
{
	int taken = 0;

	for (const char *letter = *words + 1; *letter; letter++) {
		if (*letter == 'i')
			shell.interactive = true;
		else if (*letter == 'c')
			*command = true;
		else if (*letter == 's')
			*standard = true;
		else
			taken += options_take(words, letter);
	}
	return taken;
}

int main(int argc, char **argv, char **envp)
{
	bool from_command = false, from_input = false;
	const char *commands = NULL;
	struct input in;
	char parent[12];
	int i = 1, script = -1;

	shell.pid = getpid();
	if (argc > 0)
		shell.name = argv[0];
	vars_import(envp);
	folder_init();
	if (!var_get("PATH"))
		var_set("PATH", DEFAULT_PATH);
	var_set("IFS", " \t\n");
	var_set("OPTIND", "1");
	snprintf(parent, sizeof(parent), "%d", getppid());
	var_set("PPID", parent);
	for (; i < argc && (argv[i][0] == '-' || argv[i][0] == '+') &&
	       argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		i += parse_options(argv + i, &from_command, &from_input);
	}
	if (from_command) {
		commands = argv[i++];
		if (!commands)
			fail("-c requires an argument");
	} else if (from_input) {
		i--;
	}
	if (i < argc && !from_input && !commands)
		script = open_script(argv[i]);
	if (i < argc && !from_input)
		shell.name = argv[i];
	parameters_set(argv + i + 1, i < argc ? argc - i - 1 : 0);
	if (!commands && script < 0)
		shell.interactive |= isatty(STDIN_FILENO) &&
				     isatty(STDOUT_FILENO);

	if (commands) {
		input_push_text(&in, commands);
	} else if (script >= 0) {
		input_push_fd(&in, script, false, false);
	} else if (shell.interactive) {
		run_interactively();
		shell_exit(shell.status);
	} else {
		input_push_fd(&in, STDIN_FILENO, true, false);
	}
	run_input();
	shell_exit(shell.status);
}
