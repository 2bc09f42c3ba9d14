/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals by their short names. */
#include <signal.h>
#include <stdio.h>
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
	{ "TSTP", SIGTSTP }, { "TTIN", SIGTTIN }, { "TTOU", SIGTTOU },
	{ "URG", SIGURG }, { "XCPU", SIGXCPU }, { "XFSZ", SIGXFSZ },
	{ "VTALRM", SIGVTALRM }, { "PROF", SIGPROF }, { "WINCH", SIGWINCH },
	{ "IO", SIGIO }, { "PWR", SIGPWR }, { "SYS", SIGSYS },
};

#define COUNT	(sizeof(signals) / sizeof(*signals))

int signal_number(const char *name)
{
	long number = parse_number(name);

	if (number >= 0)
		return number <= SIGNAL_MAX ? number : -1;
	if (!strncasecmp(name, "SIG", 3))
		name += 3;
	for (size_t i = 0; i < COUNT; i++)
		if (!strcasecmp(signals[i].name, name))
			return signals[i].number;
	return -1;
}

const char *signal_name(int number)
{
	for (size_t i = 0; i < COUNT; i++)
		if (signals[i].number == number)
			return signals[i].name;
	return NULL;
}
