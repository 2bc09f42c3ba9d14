/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc says of processes and the machine. */
#include <proc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps.h"

unsigned long uptime, memory_kb, page_size;

/* The fields of /proc/PID/stat from the third on, after the name in (). */
static bool parse_stat(struct process *p, char *text)
{
	char *name = strchr(text, '('), *end = strrchr(text, ')'), *word;
	unsigned long field[50] = { 0 };
	int n = 4;

	if (!name || !end)
		return false;
	*end = '\0';
	snprintf(p->comm, sizeof(p->comm), "%s", name + 1);
	p->pid = atoi(text);
	end += 2;
	p->state = *end;
	end += 2;
	while (n < 50 && (word = strsep(&end, " \n")))
		field[n++] = strtol(word, NULL, 10);
	p->ppid = field[4];
	p->pgrp = field[5];
	p->session = field[6];
	p->tty = field[7];
	p->flags = field[9];
	p->utime = field[14];
	p->stime = field[15];
	p->prio = field[18];
	p->nice = field[19];
	p->threads = field[20];
	p->start = field[22];
	p->vsize = field[23];
	p->rss = field[24];
	p->cpu = field[39];
	p->rt_priority = field[40];
	p->policy = field[41];
	return true;
}

bool read_process(struct process *p, const char *pid)
{
	char path[64], text[TEXT_SIZE];

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	read_proc(path, text, sizeof(text));
	if (!parse_stat(p, text))
		return false;
	snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
	read_proc(path, p->args, sizeof(p->args));
	if (!p->args[0])
		snprintf(p->args, sizeof(p->args), "[%s]", p->comm);
	return true;
}

/* stat has our size in bytes, statm in pages. */
static void find_page_size(const struct process *self)
{
	char text[TEXT_SIZE];
	unsigned long pages;

	read_proc("/proc/self/statm", text, sizeof(text));
	pages = strtoul(text, NULL, 10);
	page_size = pages ? self->vsize / pages : 4096;
}

void read_machine(const struct process *self)
{
	char text[TEXT_SIZE], *at;

	read_proc("/proc/uptime", text, sizeof(text));
	uptime = strtoul(text, &at, 10) * USER_HZ;
	if (*at == '.')
		uptime += strtoul(at + 1, NULL, 10);
	read_proc("/proc/meminfo", text, sizeof(text));
	at = strstr(text, "MemTotal:");
	memory_kb = at ? strtoul(at + strcspn(at, "0123456789"), NULL, 10) : 0;
	find_page_size(self);
}
