/* SPDX-License-Identifier: GPL-2.0-only */
/* The shell's children: starting them and waiting for them. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell.h"

struct process {
	pid_t pid;
	int status;
	bool ended;
	struct process *next;
};

static struct process *processes;

pid_t fork_shell(void)
{
	struct process *process;
	pid_t pid = fork();

	if (pid < 0)
		fail("Cannot fork");
	if (pid == 0) {
		/* Its parent's children are not its own. */
		processes = NULL;
		shell.child = true;
		failure = NULL;
		traps_reset();
		return 0;
	}
	process = xmalloc(sizeof(*process));
	process->pid = pid;
	process->ended = false;
	process->next = processes;
	processes = process;
	return pid;
}

static struct process **find(pid_t pid)
{
	struct process **at = &processes;

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

/* Waits for any child to end; false if there is none. */
static bool wait_for_one(void)
{
	struct process *process;
	int status;
	pid_t pid;

	do {
		pid = waitpid(-1, &status, 0);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return false;
	process = *find(pid);
	if (process) {
		process->status = status;
		process->ended = true;
	}
	return true;
}

static int exit_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

/* Interrupts and broken pipes are how things normally end. */
static void report_signal(int status)
{
	const char *name;

	if (!WIFSIGNALED(status) || WTERMSIG(status) == SIGINT ||
	    WTERMSIG(status) == SIGPIPE)
		return;
	name = strsignal(WTERMSIG(status));
	if (name)
		fprintf(stderr, "%s%s\n", name,
			WCOREDUMP(status) ? " (core dumped)" : "");
	else
		fprintf(stderr, "Signal %d%s\n", WTERMSIG(status),
			WCOREDUMP(status) ? " (core dumped)" : "");
}

int job_wait(pid_t pid)
{
	struct process *process = *find(pid);
	int status;

	if (!process)
		return STATUS_NOT_FOUND;
	while (!process->ended)
		if (!wait_for_one())
			fail("Cannot wait: %s", strerror(errno));
	status = process->status;
	*find(pid) = process->next;
	free(process);
	report_signal(status);
	return exit_status(status);
}

void jobs_wait_all(void)
{
	while (wait_for_one())
		;
	while (processes) {
		struct process *next = processes->next;

		free(processes);
		processes = next;
	}
}
