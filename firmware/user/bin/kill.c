/* SPDX-License-Identifier: GPL-2.0-only */
/* kill [-SIGNAL] PID...: sends a signal, by name or number; TERM if none. */
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "HUP", SIGHUP }, { "INT", SIGINT }, { "QUIT", SIGQUIT },
	{ "ILL", SIGILL }, { "TRAP", SIGTRAP }, { "ABRT", SIGABRT },
	{ "BUS", SIGBUS }, { "FPE", SIGFPE }, { "KILL", SIGKILL },
	{ "USR1", SIGUSR1 }, { "SEGV", SIGSEGV }, { "USR2", SIGUSR2 },
	{ "PIPE", SIGPIPE }, { "ALRM", SIGALRM }, { "TERM", SIGTERM },
	{ "CHLD", SIGCHLD }, { "CONT", SIGCONT }, { "STOP", SIGSTOP },
	{ "TSTP", SIGTSTP }, { "SYS", SIGSYS },
};

static int signal_number(const char *name)
{
	long number = parse_number(name);

	if (number >= 0 && number <= 64)
		return number;
	if (!strncmp(name, "SIG", 3))
		name += 3;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!strcmp(signals[i].name, name))
			return signals[i].number;
	errx(1, "%s: invalid signal", name);
}

int main(int argc, char **argv)
{
	int signal = SIGTERM;
	bool all = true;
	int i = 1;

	if (argc > 2 && !strcmp(argv[1], "-s")) {
		signal = signal_number(argv[2]);
		i = 3;
	} else if (argc > 1 && argv[1][0] == '-' && strcmp(argv[1], "--")) {
		signal = signal_number(argv[1] + 1);
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
