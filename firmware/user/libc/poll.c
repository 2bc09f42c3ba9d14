/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for several descriptors. */
#include <errno.h>
#include <poll.h>
#include <syscall.h>
#include <time.h>

int ppoll(struct pollfd *fds, unsigned int count,
	  const struct timespec *timeout, const sigset_t *mask)
{
	/* The kernel writes down what is left of the time. */
	struct timespec left;
	long done;

	if (timeout)
		left = *timeout;
	done = arch_syscall6(SYS_ppoll, (long)fds, count,
			     timeout ? (long)&left : 0, (long)mask,
			     sizeof(*mask), 0);
	if (done < 0) {
		errno = -done;
		return -1;
	}
	return done;
}
