/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pollfile FILE: what seeking, reading without waiting, poll and select say of
 * a file in which there is nothing yet, for tests. Waits twice.
 */
#include <errno.h>
#include <fcntl.h>
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

static char buf[4096];

static void say(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done");
}

int main(int argc, char **argv)
{
	struct timespec none = { 0, 0 };
	unsigned long set[16] = { 0 };
	struct pollfd p;
	int fd;

	if (argc != 2 || (fd = open(argv[1], O_RDONLY | O_NONBLOCK)) < 0) {
		fprintf(stderr, "Usage: pollfile FILE\n");
		return 1;
	}
	say("lseek", lseek(fd, 0, SEEK_SET));
	say("read", read(fd, buf, sizeof(buf)));
	p = (struct pollfd){ fd, POLLIN, 0 };
	printf("poll at once: %ld\n",
	       arch_poll((long)&p, 1, 0));
	set[0] = 1UL << fd;
	printf("select at once: %ld\n",
	       arch_syscall6(SYS_pselect6, fd + 1, (long)set, 0, 0,
			     (long)&none, 0));
	fflush(stdout);

	printf("poll: %ld", arch_poll((long)&p, 1, -1));
	printf(" %x\n", p.revents & POLLIN);
	say("read", read(fd, buf, sizeof(buf)));
	set[0] = 1UL << fd;
	printf("select: %ld\n", arch_syscall6(SYS_pselect6, fd + 1, (long)set,
					      0, 0, 0, 0));
	fcntl(fd, F_SETFL, 0);
	say("read", read(fd, buf, sizeof(buf)));
	return 0;
}
