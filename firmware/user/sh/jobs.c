/* SPDX-License-Identifier: GPL-2.0-only */
/* The shell's children: starting them and waiting for them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shell.h"

struct process {
	pid_t pid;
	int status;
	bool ended;
	bool stopped;
	pid_t group;			/* 0: the shell's own */
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
		job_enter();
		traps_reset();
		return 0;
	}
	process = xmalloc(sizeof(*process));
	process->pid = pid;
	process->ended = process->stopped = false;
	process->group = job_add(pid);
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
		pid = waitpid(-1, &status, terminal_is_ours() ? WUNTRACED : 0);
		if (pid < 0 && errno == EINTR && terminal_interrupted())
			abandon_line();
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return false;
	process = *find(pid);
	if (process && WIFSTOPPED(status)) {
		process->stopped = true;
		process->status = status;
	} else if (process) {
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
	while (!process->ended && !process->stopped)
		if (!wait_for_one())
			fail("Cannot wait: %s", strerror(errno));
	if (!process->ended)
		return 128 + WSTOPSIG(process->status);
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

/* What has ended since is not left for dead. */
void jobs_poll(void)
{
	struct process *process;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		process = *find(pid);
		if (!process)
			continue;
		process->status = status;
		process->stopped = WIFSTOPPED(status);
		process->ended = !process->stopped;
	}
}

/* The job after the one whose group is @after; 0: there is none. */
static pid_t next_job(pid_t after)
{
	pid_t next = 0;

	for (struct process *p = processes; p; p = p->next)
		if (p->group > after && (!next || p->group < next))
			next = p->group;
	return next;
}

/* Its number; @wanted NULL or empty: of the last one there is. */
static pid_t find_job(const char *wanted)
{
	long number = wanted ? parse_number(wanted + (*wanted == '%')) : 0;
	pid_t group = 0, last = 0;

	for (long i = 1; (group = next_job(group)); i++) {
		if (wanted && i == number)
			return group;
		last = group;
	}
	return wanted ? 0 : last;
}

static const char *state_of(pid_t group)
{
	const char *state = "Done";

	for (struct process *p = processes; p; p = p->next) {
		if (p->group != group || p->ended)
			continue;
		if (!p->stopped)
			return "Running";
		state = "Stopped";
	}
	return state;
}

static void show_job(FILE *to, int number, pid_t group)
{
	fprintf(to, "[%d]  %-8s  %d\n", number, state_of(group), group);
}

bool job_is_stopped(pid_t group)
{
	return group && !strcmp(state_of(group), "Stopped");
}

/* In the middle of other things: a job in the foreground has stopped. */
void jobs_show_stopped(pid_t group)
{
	pid_t at = 0;

	fputs("\n", stderr);
	for (int i = 1; (at = next_job(at)); i++)
		if (at == group)
			show_job(stderr, i, group);
}

static void forget_job(pid_t group)
{
	struct process **at = &processes;

	while (*at) {
		struct process *process = *at;

		if (process->group == group && process->ended) {
			*at = process->next;
			free(process);
		} else {
			at = &process->next;
		}
	}
}

int run_jobs(int argc, char **argv)
{
	pid_t group = 0;

	(void)argc;
	(void)argv;
	jobs_poll();
	for (int i = 1; (group = next_job(group)); i++)
		show_job(stdout, i, group);
	for (group = 0; (group = next_job(group));)
		if (!strcmp(state_of(group), "Done"))
			forget_job(group);
	return 0;
}

/* Has it go on; 0 if there is no such job. */
static pid_t continue_job(const char *wanted, bool foreground)
{
	pid_t group = find_job(wanted);

	if (!group) {
		complain("No such job: %s", wanted ? wanted : "%+");
		return 0;
	}
	if (foreground)
		terminal_give(group);
	for (struct process *p = processes; p; p = p->next)
		if (p->group == group)
			p->stopped = false;
	kill(-group, SIGCONT);
	return group;
}

int run_bg(int argc, char **argv)
{
	return continue_job(argc > 1 ? argv[1] : NULL, false) ? 0 :
								STATUS_ERROR;
}

int run_fg(int argc, char **argv)
{
	pid_t group = continue_job(argc > 1 ? argv[1] : NULL, true);
	struct process *p = processes;
	int status = 0;

	if (!group)
		return STATUS_ERROR;
	while (p) {
		pid_t pid = p->pid;

		if (p->group != group) {
			p = p->next;
			continue;
		}
		status = job_wait(pid);
		if (*find(pid))
			break;		/* it has stopped again */
		p = processes;
	}
	job_end(status, group);
	return status;
}
