/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs simple commands: assignments, functions, builtins and programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

/* Of functions that call each other: what the stack has room for. */
#define MAX_DEPTH	1000

int substitution_status;

/* The one that runs, for the list of jobs. */
static const struct node *running;

/* With export, what a program is to see; without, the shell's own. */
static void assign(const struct assignment *assignment, bool export)
{
	trace_begin();
	for (; assignment; assignment = assignment->next) {
		const char *value = expand_string(assignment->value);

		var_set(assignment->name, value);
		trace_word(assignment->name, value);
		if (export)
			var_export(assignment->name, true);
	}
}

/* Their variables are as before when the command has ended. */
static void make_local(const struct assignment *assignment)
{
	for (; assignment; assignment = assignment->next)
		var_local(assignment->name);
}

/* No command: assignments stay, redirections only show that they can be. */
static int run_nothing(const struct node *node)
{
	struct saved_fd *mark = redirect_mark();
	bool redirected = redirect(node->redirects, true);

	assign(node->simple.assignments, false);
	trace_end(NULL, mark);
	redirect_undo(mark);
	return redirected ? substitution_status : STATUS_ERROR;
}

/* An error in a builtin that is not special ends only that. */
static int __attribute__((noinline)) run_regular(const struct builtin *builtin,
						 struct strings *words)
{
	struct failure here = { .outer = failure, .input = input };
	struct local *locals = locals_mark();
	struct control before = control;

	if (setjmp(here.back)) {
		lexer_reset();
		locals_restore(locals);
		control = before;
		failure = here.outer;
		return here.status;
	}
	failure = &here;
	here.status = builtin->run(words->count, words->items);
	failure = here.outer;
	return here.status;
}

static int run_builtin(const struct builtin *builtin, const struct node *node,
		       struct strings *words)
{
	bool is_exec = !strcmp(builtin->name, "exec");
	bool runs_others = !strcmp(builtin->name, "command");
	const char *outer = shell.builtin;
	struct saved_fd *mark = redirect_mark();
	struct local *locals = locals_mark();
	int status;

	/* Nothing undoes what exec redirects. */
	if (is_exec) {
		assign(node->simple.assignments, true);
		trace_end(words, mark);
	}
	if (!redirect(node->redirects, !is_exec)) {
		redirect_undo(mark);
		if (builtin->special)
			abandon(STATUS_ERROR);
		return STATUS_ERROR;
	}
	if (!builtin->special)
		make_local(node->simple.assignments);
	if (!is_exec) {
		assign(node->simple.assignments, runs_others);
		trace_end(words, mark);
	}
	shell.builtin = builtin->name;
	status = builtin->special ? builtin->run(words->count, words->items) :
				    run_regular(builtin, words);
	if (finish_stream(stdout) < 0) {
		complain("write error: %s", strerror(errno));
		clearerr(stdout);
		status = 1;
	}
	shell.builtin = outer;
	if (!builtin->special && node->simple.assignments)
		locals_restore(locals);
	redirect_undo(mark);
	return status;
}

static int run_function(const struct node *body, const struct node *node,
			struct strings *words)
{
	struct saved_fd *mark = redirect_mark();
	struct local *locals = locals_mark();
	int loops = control.loops;
	int status;

	if (control.functions == MAX_DEPTH)
		fail("Maximum function recursion depth (%d) reached",
		     MAX_DEPTH);
	if (!redirect(node->redirects, true)) {
		redirect_undo(mark);
		return STATUS_ERROR;
	}
	make_local(node->simple.assignments);
	assign(node->simple.assignments, true);
	trace_end(words, mark);
	parameters_local(words->items + 1, words->count - 1);
	control.loops = 0;
	control.functions++;
	status = run_node(body, false);
	control.functions--;
	if (control.jump == JUMP_RETURN)
		control.jump = JUMP_NONE;
	control.loops = loops;
	locals_restore(locals);
	redirect_undo(mark);
	return status;
}

/* In a child: redirects, and becomes the program. */
static void __attribute__((noreturn)) become(const struct node *node,
					     struct strings *words)
{
	struct saved_fd *mark = redirect_mark();

	if (!redirect(node->redirects, options.trace))
		exit(STATUS_ERROR);
	assign(node->simple.assignments, true);
	trace_end(words, mark);
	execute(words->items);
}

static int run_program(const struct node *node, struct strings *words,
		       bool last)
{
	int status;
	pid_t pid;

	if (last && !traps_set())
		become(node, words);
	job_begin(node, false);
	pid = fork_shell();
	if (pid == 0)
		become(node, words);
	status = job_wait(pid);
	job_end(status, 0);
	return status;
}

/* command runs no function; and what it runs ends no shell by failing. */
int run_command_words(int argc, char **argv)
{
	const struct builtin *builtin = find_builtin(argv[0]);
	const char *outer = shell.builtin;
	int status;
	pid_t pid;

	if (builtin) {
		shell.builtin = builtin->name;
		status = builtin->run(argc, argv);
		shell.builtin = outer;
		return status;
	}
	shell.builtin = NULL;
	job_begin(running, false);
	pid = fork_shell();
	if (pid == 0)
		execute(argv);
	status = job_wait(pid);
	job_end(status, 0);
	shell.builtin = outer;
	return status;
}

static int run_words(const struct node *node, struct strings *words, bool last)
{
	const struct builtin *builtin;
	const struct node *function;

	if (words->count == 0)
		return run_nothing(node);
	builtin = find_builtin(words->items[0]);
	if (builtin && builtin->special)
		return run_builtin(builtin, node, words);
	function = function_get(words->items[0]);
	if (function)
		return run_function(function, node, words);
	if (builtin)
		return run_builtin(builtin, node, words);
	return run_program(node, words, last);
}

/* export and its like take NAME=VALUE as it is, as an assignment does. */
static bool declares(const struct word *word)
{
	static const char *const names[] = { "export", "local", "readonly" };
	const char *text = word ? plain_text(word) : NULL;

	if (text && !strcmp(text, "command"))
		return declares(word->next);
	for (size_t i = 0; text && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i]))
			return true;
	return false;
}

int run_simple(const struct node *node, bool last)
{
	size_t mark = arena_mark(&temp_arena);
	struct strings words = { .count = 0 };
	int status;

	shell.line = node->line;
	substitution_status = 0;
	expand_words(node->simple.words, declares(node->simple.words), &words);
	running = node;
	status = run_words(node, &words, last);
	arena_release(&temp_arena, mark);
	return status;
}
