/* SPDX-License-Identifier: GPL-2.0-only */
/* kill [-SIGNAL] PID...: sends a signal, by name or number; TERM if none. */
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int parse_signal(const char *name)
{
	int number = signal_number(name);

	if (number < 0)
		errx(1, "%s: invalid signal", name);
	return number;
}

int main(int argc, char **argv)
{
	int signal = SIGTERM;
	bool all = true;
	int i = 1;

	if (argc > 2 && !strcmp(argv[1], "-s")) {
		signal = parse_signal(argv[2]);
		i = 3;
	} else if (argc > 1 && argv[1][0] == '-' && strcmp(argv[1], "--")) {
		signal = parse_signal(argv[1] + 1);
		i = 2;
	}
	if (i < argc && !strcmp(argv[i], "--"))
		i++;
	if (i == argc)
		errx(1, "usage: kill [-SIGNAL] PID...");
	for (; i < argc; i++) {
		bool group = argv[i][0] == '-';
		long pid = parse_number(argv[i] + group);

		if (pid < 0) {
			warnx("%s: not a process number", argv[i]);
			all = false;
		} else if (kill(group ? -pid : pid, signal) < 0) {
			warn("%s", argv[i]);
			all = false;
		}
	}
	return !all;
}
