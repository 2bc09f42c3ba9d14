/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeout [-s SIGNAL] [-k SECONDS] SECONDS COMMAND [ARGUMENT]...: ends a command
 * that runs too long; its status is then 124, or 137 if it had to be killed.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <exec.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC	1000000000L
#define MAX_SECONDS	100000000L

/* Seconds, with a fraction and s, m, h or d, in nanoseconds. */
static long duration(const char *text)
{
	long whole = 0, part = 0, place = NSEC_PER_SEC / 10, unit;
	const char *at = text;

	for (; isdigit(*at); at++)
		if (whole < MAX_SECONDS)
			whole = whole * 10 + *at - '0';
	if (*at == '.')
		for (at++; isdigit(*at); at++, place /= 10)
			part += place * (*at - '0');
	unit = *at == 'm' ? 60 : *at == 'h' ? 3600 : *at == 'd' ? 86400 : 1;
	if (at == text || (*at && (!strchr("smhd", *at) || at[1])))
		errx(125, "invalid time interval '%s'", text);
	if (whole > MAX_SECONDS / unit)
		whole = MAX_SECONDS / unit;
	return (whole * NSEC_PER_SEC + part) * unit;
}

/* A child that sleeps and ends: whichever child ends first has won. */
static pid_t start_clock(long nanoseconds)
{
	const struct timespec ts = {
		nanoseconds / NSEC_PER_SEC, nanoseconds % NSEC_PER_SEC
	};
	pid_t pid = fork();

	if (pid < 0)
		err(125, "cannot fork");
	if (pid == 0) {
		nanosleep(&ts, NULL);
		_exit(0);
	}
	return pid;
}

/* Whether the command ended before the time was up. */
static bool ends_in_time(pid_t command, long nanoseconds, int *status)
{
	pid_t clock = nanoseconds ? start_clock(nanoseconds) : -1;
	pid_t ended;

	do {
		int ended_status;

		ended = waitpid(-1, &ended_status, 0);
		if (ended < 0 && errno != EINTR)
			err(125, "cannot wait");
		if (ended == command)
			*status = ended_status;
	} while (ended != command && ended != clock);
	if (ended == command && clock > 0) {
		kill(clock, SIGKILL);
		waitpid(clock, NULL, 0);
	}
	return ended == command;
}

int main(int argc, char **argv)
{
	int signal = SIGTERM, status, option;
	long limit, grace = 0;
	pid_t pid;

	while ((option = getopt(argc, argv, "+s:k:")) >= 0) {
		if (option == 's') {
			signal = signal_number(optarg);
			if (signal < 0)
				errx(125, "'%s': invalid signal", optarg);
		} else if (option == 'k') {
			grace = duration(optarg);
		} else {
			return 125;
		}
	}
	if (argc - optind < 2)
		errx(125, "missing operand");
	limit = duration(argv[optind++]);
	pid = fork();
	if (pid < 0)
		err(125, "cannot fork");
	if (pid == 0)
		exec_or_exit(argv + optind, "failed to run command '%s'");
	if (ends_in_time(pid, limit, &status))
		return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
					     WEXITSTATUS(status);
	kill(pid, signal);
	if (grace && !ends_in_time(pid, grace, &status)) {
		kill(pid, SIGKILL);
		ends_in_time(pid, 0, &status);
		return 128 + SIGKILL;
	}
	if (!grace)
		ends_in_time(pid, 0, &status);
	return signal == SIGKILL ? 128 + SIGKILL : 124;
}
