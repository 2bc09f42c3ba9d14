/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sh [-i] [FILE [ARGUMENT]...], sh -c COMMANDS [NAME [ARGUMENT]...]: the shell.
 * -i prompts, and lets the shell live on after an error.
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
		if (end)
			break;
		if (node)
			status = run_node(node, false);
		arena_release(&tree_arena, mark);
	}
	while (input != in->outer)
		input_pop();
	return status;
}

/* The console: after an error, with the next line. */
static int run_interactively(void)
{
	struct input in;

	input_push_fd(&in, STDIN_FILENO, true, true);
	if (__builtin_setjmp(recovery)) {
		while (input != &in)
			input_pop();
		lexer_reset();
		shell.builtin = NULL;
		redirect_undo(NULL);
		arena_release(&temp_arena, 0);
		arena_release(&tree_arena, 0);
		control = (struct control) { .jump = JUMP_NONE };
	}
	return run_input();
}

static int open_script(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("cannot open %s: %s", path,
		     errno == ENOENT ? "No such file" : strerror(errno));
	return move_fd_up(fd);
}

int main(int argc, char **argv, char **envp)
{
	const char *commands = NULL;
	struct input in;
	int i = 1;

	shell.pid = getpid();
	if (argc > 0)
		shell.name = argv[0];
	vars_import(envp);
	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "-i")) {
			shell.interactive = true;
		} else if (!strcmp(argv[i], "-c")) {
			commands = argv[++i];
			if (!commands)
				fail("-c requires an argument");
			i++;
			break;
		} else {
			fail("Illegal option %s", argv[i]);
		}
	}
	if (i < argc)
		shell.name = argv[i];
	parameters_set(argv + i + 1, i < argc ? argc - i - 1 : 0);

	if (commands) {
		input_push_text(&in, commands);
	} else if (i < argc) {
		input_push_fd(&in, open_script(argv[i]), false, false);
	} else if (shell.interactive) {
		run_interactively();
		return shell.status;
	} else {
		input_push_fd(&in, STDIN_FILENO, true, false);
	}
	run_input();
	return shell.status;
}
