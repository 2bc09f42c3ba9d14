/* SPDX-License-Identifier: GPL-2.0-only */
/* renice [-n] PRIORITY [-p|-g|-u] ID...: changes the nice value of tasks. */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char *const id_types[] = {
	[PRIO_PROCESS] = "process ID",
	[PRIO_PGRP] = "process group ID",
	[PRIO_USER] = "user ID",
};

/* -1 is a value, too: only errno tells. */
static bool get(int which, int who, int *value)
{
	errno = 0;
	*value = getpriority(which, who);
	if (!errno)
		return true;
	warn("failed to get priority for %d (%s)", who, id_types[which]);
	return false;
}

static bool renice(int which, int who, int value)
{
	int old, new;

	if (!get(which, who, &old))
		return false;
	if (setpriority(which, who, value) < 0) {
		warn("failed to set priority for %d (%s)", who,
		     id_types[which]);
		return false;
	}
	if (!get(which, who, &new))
		return false;
	printf("%d (%s) old priority %d, new priority %d\n", who,
	       id_types[which], old, new);
	return true;
}

int main(int argc, char **argv)
{
	int which = PRIO_PROCESS, i = 1;
	bool all = true;
	long value;
	char *end;

	if (i < argc && (!strcmp(argv[i], "-n") ||
			 !strcmp(argv[i], "--priority")))
		i++;
	if (argc - i < 2)
		errx(1, "not enough arguments");
	value = strtol(argv[i], &end, 10);
	if (end == argv[i] || *end)
		errx(1, "invalid priority '%s'", argv[i]);
	for (i++; i < argc; i++) {
		long who;

		if (!strcmp(argv[i], "-p") || !strcmp(argv[i], "--pid")) {
			which = PRIO_PROCESS;
		} else if (!strcmp(argv[i], "-g") ||
			   !strcmp(argv[i], "--pgrp")) {
			which = PRIO_PGRP;
		} else if (!strcmp(argv[i], "-u") ||
			   !strcmp(argv[i], "--user")) {
			which = PRIO_USER;
		} else if ((who = parse_number(argv[i])) < 0) {
			warnx("bad %s value: %s", id_types[which], argv[i]);
			all = false;
		} else {
			all &= renice(which, who, value);
		}
	}
	return !all;
}
