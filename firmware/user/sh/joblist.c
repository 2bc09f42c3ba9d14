/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of jobs, and the builtins that take jobs from it. */
#include <commands.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "jobs.h"

/* The job in the list after @after; 0: there is none. */
static int next_job(int after)
{
	int next = 0;

	for (struct process *p = processes; p; p = p->next)
		if (p->text && p->job > after && (!next || p->job < next))
			next = p->job;
	return next;
}

int last_of_jobs(int before)
{
	int last = 0;

	for (int job = 0; (job = next_job(job)) && job != before;)
		last = job;
	return last;
}

/* Is it the job that the text after a % means? */
static bool is_named(const struct process *p, const char *name)
{
	if (!p->text)
		return false;
	if (*name == '?')
		return strstr(p->text, name + 1);
	return !strncmp(p->text, name, strlen(name));
}

/* %1, %+, %-, %name, %?text; NULL: the last one. 0, and a message: none. */
static int find_job(const char *wanted)
{
	const char *name = wanted ? wanted + (*wanted == '%') : "";
	long number = parse_number(name);
	int last = last_of_jobs(0), job = 0;

	if (!*name || !strcmp(name, "%") || !strcmp(name, "+")) {
		if (!last)
			complain("No current job");
		return last;
	}
	if (!strcmp(name, "-"))
		job = last_of_jobs(last);
	else if (number > 0)
		while ((job = next_job(job)) && job != number)
			;
	else
		for (struct process *p = processes; p && !job; p = p->next)
			job = is_named(p, name) ? p->job : 0;
	if (!job)
		complain("No such job: %s", wanted);
	return job;
}

/* The first of its processes that is still remembered; NULL: no such job. */
static struct process *leader_of(int job)
{
	struct process *leader = NULL;

	for (struct process *p = processes; p; p = p->next)
		if (p->job == job)
			leader = p;
	return leader;
}

static bool job_has_ended(int job)
{
	for (struct process *p = processes; p; p = p->next)
		if (p->job == job && !p->ended)
			return false;
	return true;
}

/* The last process was started last, and says how the job is. */
static void state_of(int job, char *text, size_t size)
{
	const struct process *last = NULL, *running = NULL, *stopped = NULL;

	for (const struct process *p = processes; p; p = p->next) {
		if (p->job != job)
			continue;
		if (!last)
			last = p;
		if (!p->ended && !p->stopped)
			running = p;
		if (!p->ended && p->stopped)
			stopped = p;
	}
	if (running)
		snprintf(text, size, "Running");
	else if (stopped)
		snprintf(text, size, "%s",
			 strsignal(WSTOPSIG(stopped->status)));
	else if (WIFSIGNALED(last->status))
		snprintf(text, size, "%s", strsignal(WTERMSIG(last->status)));
	else if (WEXITSTATUS(last->status))
		snprintf(text, size, "Done(%d)", WEXITSTATUS(last->status));
	else
		snprintf(text, size, "Done");
}

/* "[1] + Running                    sleep 5": the command in column 33. */
static void show_job(FILE *to, int job, bool with_pid)
{
	int last = last_of_jobs(0), length;
	char mark = job == last ? '+' : job == last_of_jobs(last) ? '-' : ' ';
	char line[64], state[32];

	state_of(job, state, sizeof(state));
	length = snprintf(line, sizeof(line), "[%d] %c ", job, mark);
	if (with_pid)
		length += snprintf(line + length, sizeof(line) - length, "%d ",
				   leader_of(job)->pid);
	snprintf(line + length, sizeof(line) - length, "%s", state);
	fprintf(to, "%-32s %s\n", line, leader_of(job)->text);
	for (struct process *p = processes; p; p = p->next)
		if (p->job == job)
			p->changed = false;
}

static bool is_stopped(int job)
{
	bool any = false;

	for (struct process *p = processes; p; p = p->next) {
		if (p->job != job || p->ended)
			continue;
		if (!p->stopped)
			return false;
		any = true;
	}
	return any;
}

static int job_of_group(pid_t group)
{
	for (struct process *p = processes; group && p; p = p->next)
		if (p->group == group)
			return p->job;
	return 0;
}

bool job_is_stopped(pid_t group)
{
	int job = job_of_group(group);

	return job && is_stopped(job);
}

/* Since this was said: 2 none, 1 one more command has been run. */
static int warned;

bool jobs_keep_shell(void)
{
	if (warned > 0 || !terminal_is_ours())
		return false;
	for (struct process *p = processes; p; p = p->next) {
		if (p->job && p->stopped && !p->ended) {
			fputs("You have stopped jobs.\n", stderr);
			warned = 2;
			return true;
		}
	}
	return false;
}

void jobs_command_done(void)
{
	if (warned > 0)
		warned--;
}

static void forget_ended(void)
{
	struct process **at = &processes;

	while (*at) {
		struct process *process = *at;

		if (job_has_ended(process->job)) {
			*at = process->next;
			free_process(process);
		} else {
			at = &process->next;
		}
	}
}

static bool has_changed(int job)
{
	for (struct process *p = processes; p; p = p->next)
		if (p->job == job && p->changed)
			return job_has_ended(job) || is_stopped(job);
	return false;
}

void jobs_show_changed(void)
{
	for (int job = last_of_jobs(0); job; job = last_of_jobs(job))
		if (has_changed(job))
			show_job(stderr, job, false);
	forget_ended();
}

static void list_job(int job, const char *option)
{
	if (!strcmp(option, "-p"))
		printf("%d\n", leader_of(job)->pid);
	else
		show_job(stdout, job, *option);
}

/* jobs [-lp] [JOB]...: with process numbers, or these alone. */
int run_jobs(int argc, char **argv)
{
	const char *option = "";
	int i = 1, status = 0;

	if (i < argc && argv[i][0] == '-')
		option = argv[i++];
	if (*option && strcmp(option, "-l") && strcmp(option, "-p")) {
		complain("Illegal option %s", option);
		return STATUS_ERROR;
	}
	jobs_poll();
	for (int job; i < argc; i++) {
		job = find_job(argv[i]);
		if (job)
			list_job(job, option);
		else
			status = STATUS_ERROR;
		if (i + 1 == argc)
			return status;
	}
	for (int job = last_of_jobs(0); job; job = last_of_jobs(job))
		list_job(job, option);
	forget_ended();
	return 0;
}

/* Has it go on; 0 if there is no such job. */
static int continue_job(const char *wanted, bool foreground)
{
	int job = find_job(wanted);
	pid_t group = job ? leader_of(job)->group : 0;

	if (!job)
		return 0;
	if (!group) {
		complain("job %s not created under job control",
			 wanted ? wanted : "%+");
		return 0;
	}
	if (foreground) {
		puts(leader_of(job)->text);
		fflush(stdout);
		terminal_give(group);
	} else {
		printf("[%d] %s\n", job, leader_of(job)->text);
	}
	for (struct process *p = processes; p; p = p->next)
		if (p->job == job)
			p->stopped = p->changed = false;
	kill(-group, SIGCONT);
	return job;
}

int run_bg(int argc, char **argv)
{
	return continue_job(argc > 1 ? argv[1] : NULL, false) ? 0 :
								STATUS_ERROR;
}

/* Waits for all of it; the status is that of the process started last. */
static int wait_for_job(int job, pid_t *group)
{
	struct process *p;
	int status = 0;

	while ((p = leader_of(job))) {
		pid_t pid = p->pid;

		*group = p->group;
		status = job_wait(pid);
		if (*find_process(pid))
			break;		/* it has stopped */
	}
	return status;
}

int run_fg(int argc, char **argv)
{
	int job = continue_job(argc > 1 ? argv[1] : NULL, true), status;
	pid_t group = 0;

	if (!job)
		return STATUS_ERROR;
	status = wait_for_job(job, &group);
	job_end(status, group);
	return status;
}

static int wait_for(int argc, char **argv)
{
	int status = 0;

	if (argc == 1)
		return jobs_wait_all();
	for (int i = 1; i < argc && !trap_pending(); i++) {
		long pid = parse_number(argv[i]);
		pid_t group;
		int job;

		if (*argv[i] == '%') {
			job = find_job(argv[i]);
			if (!job)
				return STATUS_ERROR;
			status = wait_for_job(job, &group);
		} else if (pid < 0) {
			complain("Illegal number: %s", argv[i]);
			return STATUS_ERROR;
		} else {
			status = job_wait(pid);
		}
	}
	return status;
}

/* wait [PID | JOB]...: for these, or for all. */
int run_wait(int argc, char **argv)
{
	int status;

	jobs_awaited = true;
	status = wait_for(argc, argv);
	jobs_awaited = false;
	return status;
}

/* Without job control a job has no group: each of its processes gets it. */
static bool signal_job(const char *wanted, int signal)
{
	int job = find_job(wanted);
	bool done = false;

	for (struct process *p = processes; job && p; p = p->next) {
		if (p->job != job || p->ended)
			continue;
		if (!(done && p->group) &&
		    kill(p->group ? -p->group : p->pid, signal) == 0)
			done = true;
		/* These two have it go on, or end, though it was stopped. */
		if (signal == SIGKILL || signal == SIGCONT)
			p->stopped = false;
	}
	if (job && !done)
		complain("%s: %s", wanted, strerror(ESRCH));
	return done;
}

int run_kill(int argc, char **argv)
{
	return command_kill(argc, argv, signal_job, complain);
}
