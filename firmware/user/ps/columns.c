/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be shown of a process, and how. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ps.h"

static void put_long(char *text, long value)
{
	snprintf(text, TEXT_SIZE, "%ld", value);
}

#define NUMBER(name, value)						\
	static void format_##name(const struct process *p, char *text)	\
	{								\
		put_long(text, value);					\
	}

NUMBER(pid, p->pid)
NUMBER(ppid, p->ppid)
NUMBER(pgid, p->pgrp)
NUMBER(sid, p->session)
NUMBER(nice, p->nice)
NUMBER(pri, 39 - p->prio)
NUMBER(nlwp, p->threads)
NUMBER(psr, p->cpu)
NUMBER(vsz, p->vsize / 1024)
NUMBER(rss, p->rss * (page_size / 1024))

static void format_rtprio(const struct process *p, char *text)
{
	if (p->rt_priority)
		put_long(text, p->rt_priority);
	else
		strcpy(text, "-");
}

static void format_class(const struct process *p, char *text)
{
	static const char *const names[] = {
		"TS", "FF", "RR", "B", "ISO", "IDL", "DLN",
	};

	strcpy(text, p->policy < 7 ? names[p->policy] : "?");
}

static void format_user(const struct process *p, char *text)
{
	(void)p;
	strcpy(text, "root");
}

static void format_tty(const struct process *p, char *text)
{
	int major = p->tty >> 8 & 0xfff, minor = p->tty & 0xff;

	if (!p->tty)
		strcpy(text, "?");
	else if (major == 5 && minor == 1)
		strcpy(text, "console");
	else if (major == 4 && minor >= 64)
		snprintf(text, TEXT_SIZE, "ttyS%d", minor - 64);
	else
		snprintf(text, TEXT_SIZE, "tty%d", minor);
}

static void format_state(const struct process *p, char *text)
{
	text[0] = p->state;
	text[1] = '\0';
}

static void format_stat(const struct process *p, char *text)
{
	snprintf(text, TEXT_SIZE, "%c%s%s%s", p->state,
		 p->nice < 0 ? "<" : p->nice > 0 ? "N" : "",
		 p->session == p->pid ? "s" : "", p->threads > 1 ? "l" : "");
}

static void format_time(const struct process *p, char *text)
{
	unsigned long s = (p->utime + p->stime) / USER_HZ;

	snprintf(text, TEXT_SIZE, "%02lu:%02lu:%02lu", s / 3600, s / 60 % 60,
		 s % 60);
}

static void format_bsdtime(const struct process *p, char *text)
{
	unsigned long s = (p->utime + p->stime) / USER_HZ;

	snprintf(text, TEXT_SIZE, "%lu:%02lu", s / 60, s % 60);
}

static void format_etime(const struct process *p, char *text)
{
	unsigned long s = (uptime - p->start) / USER_HZ;

	if (s >= 3600)
		snprintf(text, TEXT_SIZE, "%02lu:%02lu:%02lu", s / 3600,
			 s / 60 % 60, s % 60);
	else
		snprintf(text, TEXT_SIZE, "%02lu:%02lu", s / 60, s % 60);
}

/* The time of day at which it began. */
static void format_stime(const struct process *p, char *text)
{
	struct timespec now;
	unsigned long start;

	clock_gettime(CLOCK_REALTIME, &now);
	start = now.tv_sec - (uptime - p->start) / USER_HZ;
	snprintf(text, TEXT_SIZE, "%02lu:%02lu", start / 3600 % 24,
		 start / 60 % 60);
}

/* In tenths of a percent of the time since it began. */
static unsigned long cpu_share(const struct process *p)
{
	unsigned long life = uptime - p->start;
	unsigned long share = life ? (p->utime + p->stime) * 1000 / life : 0;

	return share > 999 ? 999 : share;
}

static void format_c(const struct process *p, char *text)
{
	put_long(text, cpu_share(p) / 10);
}

static void format_pcpu(const struct process *p, char *text)
{
	unsigned long share = cpu_share(p);

	snprintf(text, TEXT_SIZE, "%lu.%lu", share / 10, share % 10);
}

static void format_pmem(const struct process *p, char *text)
{
	unsigned long share = memory_kb ? p->rss * (page_size / 1024) * 1000 /
					  memory_kb : 0;

	snprintf(text, TEXT_SIZE, "%lu.%lu", share / 10, share % 10);
}

static void format_comm(const struct process *p, char *text)
{
	snprintf(text, TEXT_SIZE, "%s%s", p->comm,
		 p->state == 'Z' ? " <defunct>" : "");
}

static void format_args(const struct process *p, char *text)
{
	if (p->state == 'Z')
		snprintf(text, TEXT_SIZE, "[%s] <defunct>", p->comm);
	else
		snprintf(text, TEXT_SIZE, "%s", p->args);
}

const struct column columns[] = {
	{ "pid", "PID", 7, format_pid },
	{ "ppid", "PPID", 7, format_ppid },
	{ "pgid", "PGID", 7, format_pgid },
	{ "pgrp", "PGRP", 7, format_pgid },
	{ "sid", "SID", 7, format_sid },
	{ "sess", "SESS", 7, format_sid },
	{ "tgid", "TGID", 7, format_pid },
	{ "tty", "TT", -8, format_tty },
	{ "tname", "TTY", -8, format_tty },
	{ "time", "TIME", 8, format_time },
	{ "cputime", "TIME", 8, format_time },
	{ "etime", "ELAPSED", 11, format_etime },
	{ "stime", "STIME", 5, format_stime },
	{ "start", "START", 5, format_stime },
	{ "comm", "COMMAND", -15, format_comm },
	{ "ucmd", "CMD", -15, format_comm },
	{ "args", "COMMAND", -27, format_args },
	{ "cmd", "CMD", -27, format_args },
	{ "command", "COMMAND", -27, format_args },
	{ "user", "USER", -8, format_user },
	{ "uid", "UID", -8, format_user },
	{ "stat", "STAT", -4, format_stat },
	{ "state", "S", 1, format_state },
	{ "s", "S", 1, format_state },
	{ "c", "C", 2, format_c },
	{ "ni", "NI", 3, format_nice },
	{ "nice", "NI", 3, format_nice },
	{ "pri", "PRI", 3, format_pri },
	{ "rtprio", "RTPRIO", 6, format_rtprio },
	{ "cls", "CLS", 3, format_class },
	{ "class", "CLS", 3, format_class },
	{ "psr", "PSR", 3, format_psr },
	{ "nlwp", "NLWP", 4, format_nlwp },
	{ "thcount", "THCNT", 5, format_nlwp },
	{ "vsz", "VSZ", 6, format_vsz },
	{ "rss", "RSS", 5, format_rss },
	{ "pcpu", "%CPU", 4, format_pcpu },
	{ "%cpu", "%CPU", 4, format_pcpu },
	{ "pmem", "%MEM", 4, format_pmem },
	{ "%mem", "%MEM", 4, format_pmem },
	{ "bsdtime", "TIME", 6, format_bsdtime },
	{ NULL, NULL, 0, NULL }
};
