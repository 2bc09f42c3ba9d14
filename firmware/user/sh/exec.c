/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs trees: lists, pipelines and compound commands. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

struct control control;

void run_and_exit(const struct node *node)
{
	shell_exit(run_node(node, true));
}

static void move_fd(int from, int to)
{
	if (from == to)
		return;
	dup2(from, to);
	close(from);
}

/* In the child for one stage: from and to are its ends of pipes, or -1. */
static void run_stage(const struct node *stage, int from, int to)
{
	if (from >= 0)
		move_fd(from, STDIN_FILENO);
	if (to >= 0)
		move_fd(to, STDOUT_FILENO);
	run_and_exit(stage);
}

/* What runs in the background must not take the shell's input. */
static int open_no_input(void)
{
	int fd = open("/dev/null", O_RDONLY);

	if (fd < 0)
		fail("Can't open /dev/null");
	return fd;
}

/* Every stage is a child of its own, the last one too. */
static int run_pipeline(const struct node *node, bool background)
{
	bool single = node->kind != NODE_PIPELINE;
	const struct node *stage = single ? node : node->children;
	size_t mark = arena_mark(&temp_arena);
	int count = single, from = -1, status = 0;
	pid_t *pids;

	for (const struct node *s = stage; !single && s; s = s->next)
		count++;
	pids = arena_alloc(&temp_arena, count * sizeof(*pids));
	job_begin(node, background);
	for (int i = 0; i < count; i++, stage = stage->next) {
		int fds[2] = { -1, -1 };

		if (i + 1 < count && pipe(fds) < 0)
			fail("Pipe call failed");
		pids[i] = fork_shell();
		if (pids[i] == 0) {
			if (fds[0] >= 0)
				close(fds[0]);
			if (background && job_detach() && from < 0)
				from = open_no_input();
			run_stage(stage, from, fds[1]);
		}
		if (from >= 0)
			close(from);
		if (fds[1] >= 0)
			close(fds[1]);
		from = fds[0];
	}
	if (background)
		shell.background = pids[count - 1];
	for (int i = 0; !background && i < count; i++)
		status = job_wait(pids[i]);
	arena_release(&temp_arena, mark);
	job_end(background ? 0 : status, 0);
	return status;
}

static int run_subshell(const struct node *node, bool last)
{
	const struct node *body = node->children;
	int status;
	pid_t pid;

	if (last && !traps_set())
		return run_node(body, true);
	job_begin(node, false);
	pid = fork_shell();
	if (pid == 0)
		run_and_exit(body);
	status = job_wait(pid);
	job_end(status, 0);
	return status;
}

/* A condition: that it fails is no error. */
static int run_tested(const struct node *node)
{
	int status;

	control.tested++;
	status = run_node(node, false);
	control.tested--;
	return status;
}

static int run_and_or(const struct node *node, bool last)
{
	const struct node *left = node->children;
	int status = run_tested(left);

	if (control.jump || (status == 0) != (node->kind == NODE_AND))
		return status;
	return run_node(left->next, last);
}

static int run_not(const struct node *child)
{
	int status = run_tested(child);

	return control.jump ? status : !status;
}

static int run_sequence(const struct node *child, bool last)
{
	int status = 0;

	for (; child && !control.jump; child = child->next)
		status = run_node(child, last && !child->next);
	return status;
}

static int run_if(const struct node *node, bool last)
{
	int status = run_tested(node->branch.condition);

	if (control.jump)
		return status;
	if (status == 0)
		return run_node(node->branch.body, last);
	if (node->branch.otherwise)
		return run_node(node->branch.otherwise, last);
	return 0;
}

/* After a round of a loop: whether the loop ends here. */
static bool leaves_loop(void)
{
	if (control.jump == JUMP_NONE)
		return false;
	if (control.jump == JUMP_RETURN || --control.levels > 0)
		return true;
	if (control.jump == JUMP_CONTINUE) {
		control.jump = JUMP_NONE;
		return false;
	}
	control.jump = JUMP_NONE;
	return true;
}

static int run_while(const struct node *node)
{
	int status = 0;

	control.loops++;
	for (;;) {
		int condition = run_tested(node->branch.condition);

		if (control.jump == JUMP_RETURN)
			status = condition;
		if (control.jump) {
			if (leaves_loop())
				break;
			continue;
		}
		if ((condition == 0) != (node->kind == NODE_WHILE))
			break;
		status = run_node(node->branch.body, false);
		if (leaves_loop())
			break;
	}
	control.loops--;
	return status;
}

static int run_for(const struct node *node)
{
	size_t mark = arena_mark(&temp_arena);
	struct strings values = { .count = 0 };
	int status = 0;

	shell.line = node->line;
	strings_add(&values, NULL);
	if (node->loop.over_parameters)
		for (int i = 0; i < parameters.count; i++)
			strings_add(&values,
				    arena_copy(&temp_arena, parameters.items[i],
					       strlen(parameters.items[i])));
	else
		expand_words(node->loop.words, false, &values);
	control.loops++;
	for (size_t i = 0; i < values.count; i++) {
		var_set(node->loop.variable, values.items[i]);
		status = run_node(node->loop.body, false);
		if (leaves_loop())
			break;
	}
	control.loops--;
	arena_release(&temp_arena, mark);
	return status;
}

static const struct node *choose(const struct node *node)
{
	const char *subject = expand_string(node->choice.subject);

	for (const struct case_item *item = node->choice.items; item;
	     item = item->next)
		for (const struct word *w = item->patterns; w; w = w->next)
			if (pattern_match(expand_pattern(w), subject))
				return item->body;
	return NULL;
}

static int run_case(const struct node *node, bool last)
{
	size_t mark = arena_mark(&temp_arena);
	const struct node *body;

	shell.line = node->line;
	body = choose(node);

	arena_release(&temp_arena, mark);
	return body ? run_node(body, last) : 0;
}

static int define_function(const struct node *node)
{
	/* The tree that holds the body must outlive this command line. */
	arena_keep(&tree_arena);
	function_set(node->function.name, node->function.body);
	return 0;
}

static int run_kind(const struct node *node, bool last)
{
	switch (node->kind) {
	case NODE_SIMPLE:
		return run_simple(node, last);
	case NODE_PIPELINE:
		return run_pipeline(node, false);
	case NODE_NOT:
		return run_not(node->children);
	case NODE_AND:
	case NODE_OR:
		return run_and_or(node, last);
	case NODE_SEQUENCE:
		return run_sequence(node->children, last);
	case NODE_BACKGROUND:
		return run_pipeline(node->children, true);
	case NODE_SUBSHELL:
		return run_subshell(node, last);
	case NODE_GROUP:
		return run_node(node->children, last);
	case NODE_IF:
		return run_if(node, last);
	case NODE_WHILE:
	case NODE_UNTIL:
		return run_while(node);
	case NODE_FOR:
		return run_for(node);
	case NODE_CASE:
		return run_case(node, last);
	case NODE_FUNCTION:
		return define_function(node);
	}
	return 0;
}

/* With -e, what ends the shell if it fails and nothing asks whether it did. */
static void check_status(const struct node *node)
{
	if (!options.exit_on_error || shell.status == 0 || control.tested)
		return;
	if (node->kind == NODE_SIMPLE || node->kind == NODE_PIPELINE ||
	    node->kind == NODE_SUBSHELL || node->redirects)
		shell_exit(shell.status);
}

int run_node(const struct node *node, bool last)
{
	struct saved_fd *mark = redirect_mark();
	size_t temp = arena_mark(&temp_arena);

	if (options.no_execution && !shell.interactive)
		return 0;
	if (node->kind == NODE_SIMPLE || !node->redirects) {
		shell.status = run_kind(node, last);
	} else {
		shell.line = node->line;
		if (redirect(node->redirects, !last))
			shell.status = run_kind(node, last);
		else
			shell.status = STATUS_ERROR;
		redirect_undo(mark);
		arena_release(&temp_arena, temp);
	}
	traps_run();
	check_status(node);
	return shell.status;
}
