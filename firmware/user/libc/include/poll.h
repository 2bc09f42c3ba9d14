/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for several descriptors. */
#ifndef POLL_H
#define POLL_H

#include <signal.h>

#define POLLIN		0x0001
#define POLLOUT		0x0004
#define POLLERR		0x0008
#define POLLHUP		0x0010

struct pollfd {
	int	fd;		/* -1: none */
	short	events;
	short	revents;
};

struct timespec;

/* NULL for @timeout: for ever. Meanwhile @mask is the signal mask. */
int ppoll(struct pollfd *fds, unsigned int count,
	  const struct timespec *timeout, const sigset_t *mask);

#endif
