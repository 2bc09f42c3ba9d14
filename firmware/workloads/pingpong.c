/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pingpong [ROUNDS]: two processes pass a byte there and back through two pipes;
 * prints how long a round took.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Passes on what comes, until nothing does any more. */
static void echo_bytes(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1)
		if (write(to, &byte, 1) != 1)
			_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? parse_number(argv[1]) : 1000;
	struct timespec start, end;
	int there[2], back[2], status;
	long nanoseconds;
	pid_t pid;

	if (rounds <= 0 || argc > 2)
		errx(1, "usage: pingpong [ROUNDS]");
	if (pipe(there) < 0 || pipe(back) < 0)
		err(1, "cannot make a pipe");
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (pid == 0) {
		close(there[1]);
		close(back[0]);
		echo_bytes(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (long i = 0; i < rounds; i++) {
		char sent = i, got;

		if (write(there[1], &sent, 1) != 1 ||
		    read(back[0], &got, 1) != 1 || got != sent)
			errx(1, "round %ld went wrong", i);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	close(there[1]);
	if (waitpid(pid, &status, 0) < 0 || status)
		errx(1, "the other process failed");
	nanoseconds = (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec -
		      start.tv_nsec;
	printf("%ld round trips, %ld.%03ld us each\n", rounds,
	       nanoseconds / rounds / 1000, nanoseconds / rounds % 1000);
	return 0;
}
