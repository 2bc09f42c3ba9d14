/* SPDX-License-Identifier: GPL-2.0-only */
/* time [-p] COMMAND [ARGUMENT]...: how long it took, in all and of CPUs. */
#include <err.h>
#include <errno.h>
#include <exec.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void print(const char *what, long seconds, long microseconds, bool posix)
{
	if (posix)
		fprintf(stderr, "%s %ld.%02ld\n", what, seconds,
			microseconds / 10000);
	else
		fprintf(stderr, "%s\t%ldm%ld.%03lds\n", what, seconds / 60,
			seconds % 60, microseconds / 1000);
}

int main(int argc, char **argv)
{
	struct rusage usage = { .ru_maxrss = 0 };
	struct timespec start, end;
	bool posix = false;
	int option, status;
	pid_t pid;

	while ((option = getopt(argc, argv, "+p")) >= 0) {
		if (option == '?')
			return 125;
		posix = true;
	}
	if (optind == argc)
		errx(125, "usage: time [-p] COMMAND [ARGUMENT]...");
	clock_gettime(CLOCK_MONOTONIC, &start);
	pid = fork();
	if (pid < 0)
		err(125, "cannot fork");
	if (pid == 0)
		exec_or_exit(argv + optind, "cannot run %s");
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			err(125, "cannot wait");
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (WIFSIGNALED(status))
		fprintf(stderr, "Command terminated by signal %d\n",
			WTERMSIG(status));
	end.tv_sec -= start.tv_sec;
	end.tv_nsec -= start.tv_nsec;
	if (end.tv_nsec < 0) {
		end.tv_sec--;
		end.tv_nsec += 1000000000;
	}
	if (!posix)
		fputs("\n", stderr);
	print("real", end.tv_sec, end.tv_nsec / 1000, posix);
	print("user", usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec, posix);
	print("sys", usage.ru_stime.tv_sec, (long)usage.ru_stime.tv_usec, posix);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}
