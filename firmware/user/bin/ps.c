/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ps [-A|-e] [-f] [-p PIDS] [-o COLUMNS] [aux]: what processes there are, from
 * /proc. Without -e or -p, those of the caller's session.
 */
#include <err.h>
#include <proc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define USER_HZ		100
#define TEXT_SIZE	1024
#define COLUMNS_MAX	32

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

static unsigned long uptime;		/* in hundredths of a second */
static unsigned long memory_kb, page_size;

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

static bool read_process(struct process *p, const char *pid)
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

static const struct column columns[] = {
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

static struct column chosen[COLUMNS_MAX];
static int nr_chosen;

/* "pid,comm=NAME": the title after "=" holds for the rest of the list. */
static void choose(const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *word;

	while ((word = strsep(&rest, ", "))) {
		const struct column *c = columns;
		char *title = strchr(word, '=');

		if (!*word)
			continue;
		if (title)
			*title++ = '\0';
		while (c->name && strcmp(c->name, word))
			c++;
		if (!c->name)
			errx(1, "error: unknown user-defined format specifier "
			     "\"%s\"", word);
		if (nr_chosen == COLUMNS_MAX)
			errx(1, "error: too many columns");
		chosen[nr_chosen] = *c;
		if (title)
			chosen[nr_chosen].title = title;
		nr_chosen++;
	}
}

/* The last column is not padded. */
static void print_cell(int i, const char *text)
{
	int width = chosen[i].width;

	if (i == nr_chosen - 1 && width < 0)
		fputs(text, stdout);
	else
		printf("%*s", width, text);
	putchar(i == nr_chosen - 1 ? '\n' : ' ');
}

static void print_titles(void)
{
	bool any = false;

	for (int i = 0; i < nr_chosen; i++)
		any |= chosen[i].title[0];
	for (int i = 0; any && i < nr_chosen; i++)
		print_cell(i, chosen[i].title);
}

static void print_process(const struct process *p)
{
	char text[TEXT_SIZE];

	for (int i = 0; i < nr_chosen; i++) {
		chosen[i].format(p, text);
		print_cell(i, text);
	}
}

static void read_machine(void)
{
	char text[TEXT_SIZE], *at;

	read_proc("/proc/uptime", text, sizeof(text));
	uptime = strtoul(text, &at, 10) * USER_HZ;
	if (*at == '.')
		uptime += strtoul(at + 1, NULL, 10);
	read_proc("/proc/meminfo", text, sizeof(text));
	at = strstr(text, "MemTotal:");
	memory_kb = at ? strtoul(at + strcspn(at, "0123456789"), NULL, 10) : 0;
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

static bool listed(const char *pids, int pid)
{
	const char *at = pids;

	while (*at) {
		char *end;

		if (strtol(at, &end, 10) == pid && end != at)
			return true;
		at = *end ? end + 1 : end;
	}
	return false;
}

int main(int argc, char **argv)
{
	static struct process p, self;
	bool every = false, full = false, headers = true;
	const char *only = NULL;
	int c, count, *pids, shown = 0;

	/* The BSD way: "aux", "ax" and the like. */
	if (argc > 1 && argv[1][0] != '-' && argv[1][0]) {
		if (strspn(argv[1], "aux") != strlen(argv[1]))
			errx(1, "error: unsupported option (BSD syntax)");
		every = true;
		choose(strchr(argv[1], 'u') ?
		       "user,pid,pcpu,pmem,vsz,rss,tname,stat,start,bsdtime,"
		       "command" : "pid,tname,stat,bsdtime,command");
		argv++;
		argc--;
	}
	while ((c = getopt(argc, argv, "Aefho:p:")) != -1) {
		switch (c) {
		case 'A': case 'e': every = true; break;
		case 'f': full = true; break;
		case 'h': headers = false; break;
		case 'o': choose(optarg); break;
		case 'p': only = optarg; break;
		default: return 1;
		}
	}
	if (optind < argc)
		errx(1, "error: garbage option");
	if (!nr_chosen)
		choose(full ? "uid,pid,ppid,c,stime,tname,time,cmd" :
			      "pid,tname,time,ucmd");
	read_machine();
	if (!read_process(&self, "self"))
		errx(1, "error: /proc must be mounted");
	find_page_size(&self);
	if (headers)
		print_titles();
	count = all_pids(&pids);
	for (int i = 0; i < count; i++) {
		char name[16];

		if (only && !listed(only, pids[i]))
			continue;
		snprintf(name, sizeof(name), "%d", pids[i]);
		if (!read_process(&p, name))
			continue;
		if (!every && !only && p.session != self.session)
			continue;
		print_process(&p);
		shown++;
	}
	free(pids);
	return shown ? 0 : 1;
}
