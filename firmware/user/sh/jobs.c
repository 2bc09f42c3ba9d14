/* SPDX-License-Identifier: GPL-2.0-only */
/* The shell's children: starting them and waiting for them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobs.h"

struct process *processes;
bool jobs_awaited;

/* How the child that was waited for last ended. */
static int last_status;

/* What children are started for now. */
static int current_job;
static char *current_text;

void jobs_begin(char *text)
{
	jobs_begun();
	current_job = text ? last_of_jobs(0) + 1 : 0;
	current_text = text;
}

void jobs_begun(void)
{
	current_job = 0;
	free(current_text);
	current_text = NULL;
}

void free_process(struct process *process)
{
	free(process->text);
	free(process);
}

pid_t fork_shell(void)
{
	struct process *process;
	pid_t pid;

	traps_hold();
	pid = fork();
	if (pid != 0)
		traps_release();
	if (pid < 0)
		fail("Cannot fork");
	if (pid == 0) {
		/* Its parent's children are not its own. */
		processes = NULL;
		shell.child = true;
		shell.recovers = false;
		failure = NULL;
		job_enter();
		traps_reset();
		traps_release();
		return 0;
	}
	process = xmalloc(sizeof(*process));
	process->pid = pid;
	process->ended = process->stopped = process->changed = false;
	process->group = job_add(pid);
	process->job = current_job;
	process->text = current_text ? xstrdup(current_text) : NULL;
	process->next = processes;
	processes = process;
	return pid;
}

struct process **find_process(pid_t pid)
{
	struct process **at = &processes;

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static void note(pid_t pid, int status)
{
	struct process *process = *find_process(pid);

	if (!process)
		return;
	process->status = status;
	process->stopped = WIFSTOPPED(status);
	process->ended = !process->stopped;
	process->changed = true;
}

/* Without job control a child that has stopped still runs. */
static int stops(void)
{
	return terminal_is_ours() ? WUNTRACED : 0;
}

/* Waits for any child to end; false if there is none. */
static bool wait_for_one(void)
{
	int status;
	pid_t pid;

	do {
		if (jobs_awaited && trap_pending()) {
			errno = EINTR;
			return false;
		}
		pid = waitpid(-1, &status, stops());
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return false;
	note(pid, status);
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
	struct process *process = *find_process(pid);
	int status;

	if (!process)
		return STATUS_NOT_FOUND;
	while (!process->ended && !process->stopped) {
		if (wait_for_one())
			continue;
		if (errno == EINTR)
			return 128 + trap_pending();
		fail("Cannot wait: %s", strerror(errno));
	}
	if (!process->ended)
		return 128 + WSTOPSIG(process->status);
	status = last_status = process->status;
	*find_process(pid) = process->next;
	free_process(process);
	report_signal(status);
	return exit_status(status);
}

bool job_was_interrupted(void)
{
	return WIFSIGNALED(last_status) && WTERMSIG(last_status) == SIGINT;
}

static bool any_runs(void)
{
	for (const struct process *p = processes; p; p = p->next)
		if (!p->ended && !p->stopped)
			return true;
	return false;
}

/* What has stopped is not waited for. */
int jobs_wait_all(void)
{
	struct process **at = &processes;

	while (any_runs() && wait_for_one())
		;
	if (any_runs() && errno == EINTR)
		return 128 + trap_pending();
	while (*at) {
		struct process *process = *at;

		if (process->stopped) {
			at = &process->next;
		} else {
			*at = process->next;
			free_process(process);
		}
	}
	return 0;
}

/* What has ended since is not left for dead. */
void jobs_poll(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | stops())) > 0)
		note(pid, status);
}
