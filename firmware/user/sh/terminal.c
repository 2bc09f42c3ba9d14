/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shell at a terminal: each job is a group of its own, and one of them has
 * the terminal.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "line.h"
#include "shell.h"

static bool owned;		/* there is a terminal, and it is ours */
static pid_t own_group;

/* Of the job that is being started: 0 before its first child. */
static bool starting, in_background;
static pid_t group;

static bool grouped;		/* a child, of a job that is a group */

void terminal_init(void)
{
	pid_t foreground;

	/*
	 * In the background it stops, until it is brought forward. Nothing
	 * stops a shell whose group nobody could bring forward.
	 */
	for (int tries = 16;
	     (foreground = tcgetpgrp(STDIN_FILENO)) != getpgid(0); tries--) {
		if (foreground < 0 || tries == 0)
			return;
		kill(0, SIGTTIN);
	}
	traps_guard();
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
	interrupt_check();
	starting = terminal_is_ours();
	jobs_begin(starting ? node_text(node) : background ? xstrdup("") : NULL);
	in_background = background;
	group = 0;
}

/* In a new child, before it does anything. */
void job_enter(void)
{
	grouped = owned && starting;
	if (grouped) {
		pid_t pid = getpid();

		setpgid(0, group);
		if (!in_background && group == 0)
			tcsetpgrp(STDIN_FILENO, pid);
	}
	owned = starting = false;
}

bool job_detach(void)
{
	struct sigaction act = { .sa_flags = 0 };

	if (grouped)
		return false;
	act.sa_handler = SIG_IGN;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGQUIT, &act, NULL);
	return true;
}

/* In the shell; both do it, for neither knows who is first. */
pid_t job_add(pid_t pid)
{
	if (!starting)
		return 0;
	if (group == 0)
		group = pid;
	setpgid(pid, group);
	if (group == pid && !in_background) {
		tcsetpgrp(STDIN_FILENO, group);
		/* A ^C that came before was for it. */
		if (interrupt_pending())
			kill(-group, SIGINT);
	}
	return group;
}

void terminal_give(pid_t to)
{
	tcsetpgrp(STDIN_FILENO, to);
}

void job_end(int status, pid_t of)
{
	starting = false;
	jobs_begun();
	if (!terminal_is_ours())
		return;
	tcsetpgrp(STDIN_FILENO, own_group);
	if (status > 128)	/* it could not tidy up */
		line_restore_terminal();
	if (job_is_stopped(of ? of : group))
		fputs("\n", stderr);	/* after the ^Z */
	/* The ^C was for the shell as well. */
	if (status == 128 + SIGINT && job_was_interrupted())
		raise(SIGINT);
	group = 0;
}
