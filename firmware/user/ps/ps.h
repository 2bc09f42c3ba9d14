/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of ps share. */
#ifndef PS_PS_H
#define PS_PS_H

#include <stdbool.h>

#define USER_HZ		100
#define TEXT_SIZE	1024

struct process {
	int	pid, ppid, pgrp, session, tty, prio, nice, threads, cpu;
	char	state;
	unsigned long utime, stime, start, vsize, rss, flags;
	unsigned int policy, rt_priority;
	char	comm[64];
	char	args[TEXT_SIZE];
};

struct column {
	const char	*name;		/* for -o */
	const char	*title;
	int		width;		/* < 0: to the left */
	void		(*format)(const struct process *p, char *text);
};

extern unsigned long uptime;		/* in hundredths of a second */
extern unsigned long memory_kb, page_size;

/* read.c: @pid is a number, or "self"; false if there is none. */
bool read_process(struct process *p, const char *pid);
void read_machine(const struct process *self);

/* columns.c: ended by one without a name. */
extern const struct column columns[];

#endif
