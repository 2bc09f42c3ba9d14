/* SPDX-License-Identifier: GPL-2.0-only */
/* ulimit: the limits of this process, and so of those it starts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "shell.h"

static const struct limit {
	char option;
	int resource;
	int unit;			/* bytes or whatever else in one */
	const char *name;
} limits[] = {
	{ 't', RLIMIT_CPU, 1, "time(seconds)" },
	{ 'f', RLIMIT_FSIZE, 512, "file(blocks)" },
	{ 'd', RLIMIT_DATA, 1024, "data(kbytes)" },
	{ 's', RLIMIT_STACK, 1024, "stack(kbytes)" },
	{ 'c', RLIMIT_CORE, 512, "coredump(blocks)" },
	{ 'm', RLIMIT_RSS, 1024, "memory(kbytes)" },
	{ 'l', RLIMIT_MEMLOCK, 1024, "locked memory(kbytes)" },
	{ 'p', RLIMIT_NPROC, 1, "process" },
	{ 'n', RLIMIT_NOFILE, 1, "nofiles" },
	{ 'v', RLIMIT_AS, 1024, "vmemory(kbytes)" },
	{ 'w', RLIMIT_LOCKS, 1, "locks" },
	{ 'r', RLIMIT_RTPRIO, 1, "rtprio" },
	{ 0, 0, 0, NULL }
};

static const struct limit *find_limit(char option)
{
	const struct limit *limit = limits;

	while (limit->name && limit->option != option)
		limit++;
	return limit->name ? limit : NULL;
}

static rlim_t get(const struct limit *limit, struct rlimit *value, bool soft)
{
	if (getrlimit(limit->resource, value) < 0)
		fail("%s", strerror(errno));
	return soft ? value->rlim_cur : value->rlim_max;
}

static void print(const struct limit *limit, bool soft)
{
	struct rlimit both;
	rlim_t value = get(limit, &both, soft);

	if (value == RLIM_INFINITY)
		puts("unlimited");
	else
		printf("%ld\n", value / limit->unit);
}

static void change(const struct limit *limit, const char *text, bool soft,
		   bool hard)
{
	struct rlimit both;
	rlim_t value = RLIM_INFINITY;
	long number;

	get(limit, &both, soft);
	if (strcmp(text, "unlimited")) {
		number = parse_number(text);
		if (number < 0 || number > 0x7fffffffffffffff / limit->unit)
			fail("bad number");
		value = number * limit->unit;
	}
	if (soft)
		both.rlim_cur = value;
	if (hard)
		both.rlim_max = value;
	if (setrlimit(limit->resource, &both) < 0)
		fail("error setting limit (%s)", strerror(errno));
}

/* ulimit [-HS] [-a | -tfdscmlpnvwr] [LIMIT]: of the size of files, if no other. */
int run_ulimit(int argc, char **argv)
{
	const struct limit *limit = find_limit('f');
	bool soft = false, hard = false, all = false;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		for (const char *option = argv[i] + 1; *option; option++) {
			hard |= *option == 'H';
			soft |= *option == 'S';
			all |= *option == 'a';
			if (strchr("HSa", *option))
				continue;
			limit = find_limit(*option);
			if (!limit)
				fail("Illegal option -%c", *option);
		}
	}
	if (i + (all ? 0 : 1) < argc)
		fail("too many arguments");
	if (all) {
		for (limit = limits; limit->name; limit++) {
			printf("%-20s ", limit->name);
			print(limit, !hard || soft);
		}
	} else if (i < argc) {
		change(limit, argv[i], soft || !hard, hard || !soft);
	} else {
		print(limit, !hard || soft);
	}
	return 0;
}
