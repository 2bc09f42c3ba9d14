/* SPDX-License-Identifier: GPL-2.0-only */
/* What jobs.c and joblist.c share: the shell's children. */
#ifndef SH_JOBS_H
#define SH_JOBS_H

#include "shell.h"

struct process {
	pid_t pid;
	int status;
	bool ended;
	bool stopped;
	bool changed;			/* and nobody has been shown it yet */
	int job;			/* its number in the list; 0: of none */
	char *text;			/* the job's, or NULL */
	pid_t group;			/* 0: the shell's own */
	struct process *next;
};

/* Those started last first. */
extern struct process *processes;
/* By the wait builtin, which a signal that is trapped ends. */
extern bool jobs_awaited;

/* Where the list has it, or where it ends. */
struct process **find_process(pid_t pid);
void free_process(struct process *process);
/* The job in the list before this one; of all, if that is 0. */
int last_of_jobs(int before);

#endif
