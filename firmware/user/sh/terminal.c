/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shell at a terminal: each job is a group of its own, and one of them has
 * the terminal. ^C gives a new prompt.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "line.h"
#include "shell.h"

/* What a shell must survive, and a job must not. */
static const int guarded[] = {
	SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU
};

static bool owned;		/* there is a terminal, and it is ours */
static pid_t own_group;
static volatile bool interrupted;

/* Of the job that is being started: 0 before its first child. */
static bool starting, in_background;
static pid_t group;

static void interrupt(int signal)
{
	interrupted = true;
	(void)signal;
}

void terminal_init(void)
{
	struct sigaction act = { .sa_flags = 0 };

	if (tcgetpgrp(STDIN_FILENO) < 0)
		return;
	act.sa_handler = SIG_IGN;
	for (size_t i = 0; i < sizeof(guarded) / sizeof(*guarded); i++)
		if (guarded[i] != SIGINT)
			sigaction(guarded[i], &act, NULL);
	act.sa_handler = interrupt;
	sigaction(SIGINT, &act, NULL);
	setpgid(0, 0);	/* a session's leader is one already */
	own_group = getpgid(0);
	owned = tcsetpgrp(STDIN_FILENO, own_group) == 0;
}

bool terminal_is_ours(void)
{
	return owned && !shell.child;
}

void job_begin(const struct node *node, bool background)
{
	starting = terminal_is_ours();
	jobs_begin(starting ? node_text(node) : background ? xstrdup("") : NULL);
	in_background = background;
	group = 0;
}

/* In a new child, before it does anything. */
void job_enter(void)
{
	struct sigaction act = { .sa_flags = 0 };

	if (!owned)
		return;
	if (starting) {
		pid_t pid = getpid();

		setpgid(0, group);
		if (!in_background && group == 0)
			tcsetpgrp(STDIN_FILENO, pid);
	}
	act.sa_handler = SIG_DFL;
	for (size_t i = 0; i < sizeof(guarded) / sizeof(*guarded); i++)
		sigaction(guarded[i], &act, NULL);
	owned = false;
}

void job_detach(void)
{
	struct sigaction act = { .sa_flags = 0 };

	if (starting)
		return;
	act.sa_handler = SIG_IGN;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGQUIT, &act, NULL);
}

/* In the shell; both do it, for neither knows who is first. */
pid_t job_add(pid_t pid)
{
	if (!starting)
		return 0;
	if (group == 0)
		group = pid;
	setpgid(pid, group);
	return group;
}

void terminal_give(pid_t to)
{
	tcsetpgrp(STDIN_FILENO, to);
}

/* What was in the foreground has ended, or stopped. */
void job_end(int status, pid_t of)
{
	bool stopped = status == 128 + SIGTSTP || status == 128 + SIGSTOP ||
		       status == 128 + SIGTTIN || status == 128 + SIGTTOU;

	starting = false;
	jobs_begun();
	if (!terminal_is_ours())
		return;
	tcsetpgrp(STDIN_FILENO, own_group);
	if (status > 128)	/* it could not tidy up */
		line_restore_terminal();
	if (stopped && job_is_stopped(of ? of : group))
		jobs_show_stopped(of ? of : group);
	if (status == 128 + SIGINT)
		abandon_line();
}

/* Whether ^C was typed since this was asked last. */
bool terminal_interrupted(void)
{
	bool was = interrupted;

	interrupted = false;
	return was && terminal_is_ours();
}

/* The rest of the line is not done. */
void abandon_line(void)
{
	fputs("\n", stderr);
	abandon(128 + SIGINT);
}
