/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * taskset [-c] MASK COMMAND [ARGUMENT]..., taskset [-c] -p [MASK] PID: runs a
 * command on some CPUs, or shows or changes where a process may run. With -c
 * MASK is a list: 0,4-6.
 */
#include <ctype.h>
#include <err.h>
#include <exec.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct long_option names[] = {
	{ "all-tasks", 'a' }, { "cpu-list", 'c' }, { "pid", 'p' },
	{ "help", 'h' }, { NULL, 0 },
};

static const char usage[] =
	"Usage: taskset [options] [mask | cpu-list] [pid|cmd [args...]]\n"
	"\n"
	"Show or change the CPU affinity of a process.\n"
	"\n"
	"Options:\n"
	" -a, --all-tasks  operate on all the tasks (threads) for a given pid\n"
	" -p, --pid        operate on existing given pid\n"
	" -c, --cpu-list   display and specify cpus in list format\n"
	" -h, --help       display this help\n";

/* Hexadecimal digits, with or without 0x and commas; false if it is none. */
static bool parse_mask(const char *text, cpu_set_t *set)
{
	unsigned int cpu = 0;
	size_t at;

	if (!strncmp(text, "0x", 2) || !strncmp(text, "0X", 2))
		text += 2;
	at = strlen(text);
	CPU_ZERO(set);
	if (!at)
		return false;
	while (at-- > 0) {
		int digit;

		if (text[at] == ',')
			continue;
		if (!isxdigit((unsigned char)text[at]) || cpu >= CPU_SETSIZE)
			return false;
		digit = isdigit((unsigned char)text[at]) ? text[at] - '0' :
			tolower((unsigned char)text[at]) - 'a' + 10;
		for (int bit = 0; bit < 4; bit++)
			if (digit >> bit & 1)
				CPU_SET(cpu + bit, set);
		cpu += 4;
	}
	return true;
}

static bool parse_cpu(const char **text, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	*cpu = strtoul(*text, &end, 10);
	*text = end;
	return *cpu < CPU_SETSIZE;
}

/* CPUs and ranges of them, perhaps with a stride: 0,2,8-15:4. */
static bool parse_list(const char *text, cpu_set_t *set)
{
	unsigned long from, to, stride;

	CPU_ZERO(set);
	do {
		stride = 1;
		if (!parse_cpu(&text, &from))
			return false;
		to = from;
		if (*text == '-') {
			text++;
			if (!parse_cpu(&text, &to))
				return false;
			if (*text == ':') {
				text++;
				if (!parse_cpu(&text, &stride) || !stride)
					return false;
			}
		}
		if (to < from)
			return false;
		for (; from <= to; from += stride)
			CPU_SET(from, set);
	} while (*text == ',' && *++text);
	return !*text;
}

static void print_mask(const cpu_set_t *set)
{
	bool started = false;

	for (int digit = CPU_SETSIZE / 4; digit-- > 0;) {
		unsigned int value = set->bits[digit * 4 / CPU_BITS] >>
				     digit * 4 % CPU_BITS & 0xf;

		started |= value != 0 || !digit;
		if (started)
			printf("%x", value);
	}
}

/* Two neighbours are two, three and more a range. */
static void print_list(const cpu_set_t *set)
{
	const char *comma = "";

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		unsigned int last = cpu;

		if (!CPU_ISSET(cpu, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		printf("%s%u", comma, cpu);
		if (last > cpu)
			printf("%c%u", last == cpu + 1 ? ',' : '-', last);
		comma = ",";
		cpu = last;
	}
}

static void show(pid_t pid, bool list, const char *which)
{
	cpu_set_t set;

	if (sched_getaffinity(pid, sizeof(set), &set) < 0)
		err(1, "failed to get pid %d's affinity", pid);
	printf("pid %d's %s affinity %s: ", pid, which, list ? "list" : "mask");
	if (list)
		print_list(&set);
	else
		print_mask(&set);
	putchar('\n');
}

int main(int argc, char **argv)
{
	bool list = false, of_process = false;
	pid_t pid = 0;
	cpu_set_t set;
	int option;

	while ((option = getopt_long(argc, argv, "+acph", names)) != -1) {
		switch (option) {
		case 'a':
			break;
		case 'c':
			list = true;
			break;
		case 'p':
			of_process = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			errx(1, "usage: taskset [-c] MASK COMMAND... or "
			     "taskset [-c] -p [MASK] PID");
		}
	}
	if (argc - optind < (of_process ? 1 : 2))
		errx(1, "bad usage");
	if (of_process) {
		pid = parse_number(argv[argc - 1]);
		if (pid < 0)
			errx(1, "invalid PID argument: '%s'", argv[argc - 1]);
		show(pid, list, "current");
		if (argc - optind == 1)
			return 0;
	}
	if (!(list ? parse_list : parse_mask)(argv[optind], &set))
		errx(1, "failed to parse CPU %s: %s", list ? "list" : "mask",
		     argv[optind]);
	if (sched_setaffinity(pid, sizeof(set), &set) < 0)
		err(1, "failed to set pid %d's affinity", pid);
	if (of_process) {
		show(pid, list, "new");
		return 0;
	}
	exec_or_exit(argv + optind + 1, "failed to execute %s");
}
