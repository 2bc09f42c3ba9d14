/* SPDX-License-Identifier: GPL-2.0-only */
/* kill: sends signals, by name or number, and lists them. */
#include <commands.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Also of the status of a shell's command that a signal has ended. */
static int list_signal(const char *text, complain_fn *complain)
{
	long number = parse_number(text);
	const char *name;

	if (number < 0) {
		number = signal_number(text);
		if (number >= 0) {
			printf("%ld\n", number);
			return 0;
		}
	}
	name = signal_name(number > 128 ? number - 128 : number);
	if (!name) {
		complain("%s: invalid signal", text);
		return 1;
	}
	puts(name);
	return 0;
}

static int list_signals(char **signals, complain_fn *complain)
{
	int status = 0;

	if (*signals) {
		for (; *signals; signals++)
			status |= list_signal(*signals, complain);
		return status;
	}
	for (int number = 1; number < SIGRTMIN; number++)
		if (signal_name(number))
			printf("%s%s", number > 1 ? " " : "",
			       signal_name(number));
	printf("\n");
	return 0;
}

static bool send_to(const char *whom, int signal, complain_fn *complain)
{
	bool negative = whom[0] == '-';
	long pid = parse_number(whom + negative);

	if (pid < 0) {
		complain("%s: not a process number", whom);
		return false;
	}
	if (kill(negative ? -pid : pid, signal) < 0) {
		complain("%s: %s", whom, strerror(errno));
		return false;
	}
	return true;
}

int command_kill(int argc, char **argv, signal_job_fn *signal_job,
		 complain_fn *complain)
{
	const char *name = "TERM";
	bool all = true;
	int signal, i = 1;

	if (argc > 1 && (!strcmp(argv[1], "-l") || !strcmp(argv[1], "-L")))
		return list_signals(argv + 2, complain);
	if (argc > 2 && (!strcmp(argv[1], "-s") || !strcmp(argv[1], "-n"))) {
		name = argv[2];
		i = 3;
	} else if (argc > 1 && argv[1][0] == '-' && strcmp(argv[1], "--")) {
		name = argv[1] + 1;
		i = 2;
	}
	signal = signal_number(name);
	if (signal < 0) {
		complain("%s: invalid signal", name);
		return 1;
	}
	if (i < argc && !strcmp(argv[i], "--"))
		i++;
	if (i == argc) {
		complain("usage: kill [-SIGNAL] PID...");
		return 1;
	}
	for (; i < argc; i++)
		all &= signal_job && argv[i][0] == '%' ?
		       signal_job(argv[i], signal) :
		       send_to(argv[i], signal, complain);
	return !all;
}
