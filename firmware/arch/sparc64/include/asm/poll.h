/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs call poll's events: some of SPARC's have values of their own. */
#ifndef _ASM_POLL_H
#define _ASM_POLL_H

#include <linux/poll.h>

#define SPARC_POLLWRBAND	256
#define SPARC_POLLRDHUP		2048
#define SPARC_POLL_SAME		0xff	/* those with the same value */

/* Writing normally is writing: POLLWRNORM is POLLOUT. */
static inline __poll_t demangle_poll(unsigned short events)
{
	return (events & SPARC_POLL_SAME) |
	       (events & EPOLLOUT ? EPOLLWRNORM : 0) |
	       (events & SPARC_POLLWRBAND ? EPOLLWRBAND : 0) |
	       (events & SPARC_POLLRDHUP ? EPOLLRDHUP : 0);
}

static inline unsigned short mangle_poll(__poll_t events)
{
	return (events & SPARC_POLL_SAME) |
	       (events & EPOLLWRNORM ? EPOLLOUT : 0) |
	       (events & EPOLLWRBAND ? SPARC_POLLWRBAND : 0) |
	       (events & EPOLLRDHUP ? SPARC_POLLRDHUP : 0);
}

#endif
