/* SPDX-License-Identifier: GPL-2.0-only */
/* killall [-SIGNAL | -s SIGNAL] [-q] NAME...: signals all processes of a name. */
#include <err.h>
#include <proc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int signal_of(const char *name)
{
	int signal = signal_number(name);

	if (signal < 0)
		errx(1, "%s: unknown signal", name);
	return signal;
}

static bool kill_all(const char *wanted, int signal)
{
	int count, *pids;
	char name[PROCESS_NAME];
	bool any = false;

	count = all_pids(&pids);
	for (int i = 0; i < count; i++) {
		process_name(pids[i], name);
		if (pids[i] == getpid() || strcmp(name, wanted))
			continue;
		if (kill(pids[i], signal) == 0)
			any = true;
		else
			warn("%s(%d)", name, pids[i]);
	}
	free(pids);
	return any;
}

int main(int argc, char **argv)
{
	int i = 1, signal = SIGTERM;
	bool quiet = false, all = true;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "-q"))
			quiet = true;
		else if (strcmp(argv[i], "-s"))
			signal = signal_of(argv[i] + 1);
		else if (++i < argc)
			signal = signal_of(argv[i]);
	}
	if (i >= argc)
		errx(1, "usage: killall [-SIGNAL] [-q] NAME...");
	for (; i < argc; i++) {
		if (kill_all(argv[i], signal))
			continue;
		if (!quiet)
			warnx("%s: no process found", argv[i]);
		all = false;
	}
	return !all;
}
