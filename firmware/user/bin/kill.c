/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kill [-SIGNAL | -s SIGNAL] PID...: sends a signal, by name or number; TERM if
 * none. A negative PID is a process group, -1 everybody.
 * kill -l [SIGNAL]...: their names, or a number's name, or a name's number.
 */
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_signal(const char *name)
{
	int number = signal_number(name);

	if (number < 0)
		errx(1, "%s: invalid signal", name);
	return number;
}

/* Also of the status of a shell's command that a signal has ended. */
static int show_signal(const char *text)
{
	long number = parse_number(text);
	const char *name;

	if (number < 0) {
		printf("%d\n", parse_signal(text));
		return 0;
	}
	name = signal_name(number > 128 ? number - 128 : number);
	if (!name)
		errx(1, "%s: invalid signal", text);
	puts(name);
	return 0;
}

static int list_signals(char **signals)
{
	if (*signals) {
		for (; *signals; signals++)
			show_signal(*signals);
		return 0;
	}
	for (int number = 1; number < SIGRTMIN; number++)
		if (signal_name(number))
			printf("%s%s", number > 1 ? " " : "",
			       signal_name(number));
	printf("\n");
	return 0;
}

static bool send_to(const char *whom, int signal)
{
	bool negative = whom[0] == '-';
	long pid = parse_number(whom + negative);

	if (pid < 0) {
		warnx("%s: not a process number", whom);
		return false;
	}
	if (kill(negative ? -pid : pid, signal) < 0) {
		warn("%s", whom);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	int signal = SIGTERM;
	bool all = true;
	int i = 1;

	if (argc > 1 && (!strcmp(argv[1], "-l") || !strcmp(argv[1], "-L")))
		return list_signals(argv + 2);
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
	for (; i < argc; i++)
		all &= send_to(argv[i], signal);
	return !all;
}
