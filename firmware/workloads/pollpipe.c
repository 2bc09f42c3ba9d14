/* SPDX-License-Identifier: GPL-2.0-only */
/* pollpipe: what poll and select say of a pipe, for tests. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syscall.h>
#include <time.h>
#include <unistd.h>

struct pollfd {
	int	fd;
	short	events;
	short	revents;
};

#define POLLIN		0x01
#define POLLOUT		0x04
#define POLL_MASK	0x3f	/* those with the same value everywhere */

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Both ends; prints what happened, and whether all of the time went by. */
static void show(const char *what, int *fds, int timeout)
{
	struct pollfd p[2] = {
		{ fds[0], POLLIN, 0 }, { fds[1], POLLOUT, 0 },
	};
	long start = now_ms();
	long n = arch_poll((long)p, 2, timeout);

	printf("%s: %ld %x %x%s\n", what, n, p[0].revents & POLL_MASK,
	       p[1].revents & POLL_MASK,
	       timeout > 0 && now_ms() - start >= timeout ? " late" : "");
}

int main(void)
{
	unsigned long set[16] = { 0 };
	struct timespec ts = { 0, 20000000 };
	struct pollfd bad = { 99, POLLIN, 0 };
	char byte = 'x';
	int fds[2];
	long start, n;

	if (pipe(fds))
		return 1;
	show("empty", fds, -1);
	if (write(fds[1], &byte, 1) != 1)
		return 1;
	show("filled", fds, -1);

	set[0] = 1UL << fds[0];
	n = arch_syscall6(SYS_pselect6, fds[0] + 1, (long)set, 0, 0, (long)&ts,
			  0);
	printf("select: %ld %d\n", n, set[0] == 1UL << fds[0]);
	if (read(fds[0], &byte, 1) != 1)
		return 1;
	ts.tv_nsec = 20000000;
	start = now_ms();
	n = arch_syscall6(SYS_pselect6, fds[0] + 1, (long)set, 0, 0, (long)&ts,
			  0);
	printf("select, empty: %ld %lx%s\n", n, set[0],
	       now_ms() - start >= 20 ? " late" : "");

	n = arch_poll((long)&bad, 1, -1);
	printf("bad: %ld %x\n", n, bad.revents & POLL_MASK);

	/* Somebody else writes while we wait. */
	if (fork() == 0) {
		struct timespec wait = { 0, 10000000 };

		nanosleep(&wait, NULL);
		_exit(write(fds[1], &byte, 1) != 1);
	}
	bad = (struct pollfd){ fds[0], POLLIN, 0 };
	n = arch_poll((long)&bad, 1, 5000);
	printf("woken: %ld %x\n", n, bad.revents & POLL_MASK);
	if (read(fds[0], &byte, 1) != 1)
		return 1;

	close(fds[1]);
	bad.events = POLLIN;
	n = arch_poll((long)&bad, 1, -1);
	printf("hung up: %ld %x\n", n, bad.revents & POLL_MASK);
	return 0;
}
