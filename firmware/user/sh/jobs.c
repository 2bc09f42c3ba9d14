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
	int job;			/* 0: of none */
	char *text;			/* the job's, or NULL */
	pid_t group;			/* 0: the shell's own */
	struct process *next;
};

static struct process *processes;

/* What children are started for now. */
static int last_job, current_job;
static char *current_text;

void jobs_begin(char *text)
{
	jobs_begun();
	current_job = ++last_job;
	current_text = text;
}

void jobs_begun(void)
{
	current_job = 0;
	free(current_text);
	current_text = NULL;
}

static void free_process(struct process *process)
{
	free(process->text);
	free(process);
}

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
	process->job = current_job;
	process->text = current_text ? xstrdup(current_text) : NULL;
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
	free_process(process);
	report_signal(status);
	return exit_status(status);
}

void jobs_wait_all(void)
{
	while (wait_for_one())
		;
	while (processes) {
		struct process *next = processes->next;

		free_process(processes);
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

/* The job in the list after @after; 0: there is none. */
static int next_job(int after)
{
	int next = 0;

	for (struct process *p = processes; p; p = p->next)
		if (p->text && p->job > after && (!next || p->job < next))
			next = p->job;
	return next;
}

/* The one before @before; of all, if that is 0. */
static int last_of_jobs(int before)
{
	int last = 0;

	for (int job = 0; (job = next_job(job)) && job != before;)
		last = job;
	return last;
}

/* By its number in the list; @wanted NULL or "%+": the last one there is. */
static int find_job(const char *wanted)
{
	long number;
	int job = 0;

	if (!wanted || !strcmp(wanted, "%%") || !strcmp(wanted, "%+"))
		return last_of_jobs(0);
	if (!strcmp(wanted, "%-"))
		return last_of_jobs(last_of_jobs(0));
	number = parse_number(wanted + (*wanted == '%'));
	for (long i = 1; (job = next_job(job)) && i != number; i++)
		;
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
	int last = last_of_jobs(0), number = 1, length;
	char mark = job == last ? '+' : job == last_of_jobs(last) ? '-' : ' ';
	char line[64], state[32];

	for (int at = 0; (at = next_job(at)) && at != job;)
		number++;
	state_of(job, state, sizeof(state));
	length = snprintf(line, sizeof(line), "[%d] %c ", number, mark);
	if (with_pid)
		length += snprintf(line + length, sizeof(line) - length, "%d ",
				   leader_of(job)->pid);
	snprintf(line + length, sizeof(line) - length, "%s", state);
	fprintf(to, "%-32s %s\n", line, leader_of(job)->text);
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
	return is_stopped(job_of_group(group));
}

/* In the middle of other things: a job in the foreground has stopped. */
void jobs_show_stopped(pid_t group)
{
	fputs("\n", stderr);
	show_job(stderr, job_of_group(group), false);
}

static void forget_job(int job)
{
	struct process **at = &processes;

	while (*at) {
		struct process *process = *at;

		if (process->job == job) {
			*at = process->next;
			free_process(process);
		} else {
			at = &process->next;
		}
	}
}

/* jobs [-lp]: with process numbers, or these alone. */
int run_jobs(int argc, char **argv)
{
	const char *option = argc > 1 ? argv[1] : "";

	if (*option && strcmp(option, "-l") && strcmp(option, "-p")) {
		complain("Illegal option %s", option);
		return STATUS_ERROR;
	}
	jobs_poll();
	for (int job = last_of_jobs(0); job; job = last_of_jobs(job)) {
		if (!strcmp(option, "-p"))
			printf("%d\n", leader_of(job)->pid);
		else
			show_job(stdout, job, *option);
	}
	for (int job = next_job(0), next; job; job = next) {
		next = next_job(job);
		if (job_has_ended(job))
			forget_job(job);
	}
	return 0;
}

/* Has it go on; 0 if there is no such job. */
static int continue_job(const char *wanted, bool foreground)
{
	int job = find_job(wanted);
	pid_t group = job ? leader_of(job)->group : 0;

	if (!job || !group) {
		complain(job ? "job %s not created under job control" :
			       "No such job: %s", wanted ? wanted : "%+");
		return 0;
	}
	if (foreground)
		terminal_give(group);
	for (struct process *p = processes; p; p = p->next)
		if (p->job == job)
			p->stopped = false;
	kill(-group, SIGCONT);
	return job;
}

int run_bg(int argc, char **argv)
{
	return continue_job(argc > 1 ? argv[1] : NULL, false) ? 0 :
								STATUS_ERROR;
}

int run_fg(int argc, char **argv)
{
	int job = continue_job(argc > 1 ? argv[1] : NULL, true), status = 0;
	struct process *p = processes;
	pid_t group = 0;

	if (!job)
		return STATUS_ERROR;
	while (p) {
		pid_t pid = p->pid;

		if (p->job != job) {
			p = p->next;
			continue;
		}
		group = p->group;
		status = job_wait(pid);
		if (*find(pid))
			break;		/* it has stopped again */
		p = processes;
	}
	job_end(status, group);
	return status;
}
