/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting what is as it should be, and what every check needs. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <syscall.h>
#include <unistd.h>
#include "memcheck.h"

static unsigned int checks, errors;

void check(bool ok, const char *what)
{
	checks++;
	if (!ok) {
		printf("memcheck: %s (errno %d)\n", what, errno);
		errors++;
	}
}

int report(void)
{
	printf("memcheck: %u checks, %u errors\n", checks, errors);
	return errors != 0;
}

long call(long nr, long a, long b, long c, long d)
{
	long value = arch_syscall(nr, a, b, c, d);

	errno = value < 0 ? -value : 0;
	return value;
}

char *map(size_t pages, int prot, int flags)
{
	char *p = mmap(NULL, pages * PAGE, prot, flags | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(2, "cannot map");
	return p;
}

/* What signal ends a child that does this to the address? 0: none. */
int child_touches(volatile char *p, bool write)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (write)
			*p = 1;
		else
			(void)*p;
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(2, "cannot fork");
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
