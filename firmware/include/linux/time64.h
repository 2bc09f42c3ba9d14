/* SPDX-License-Identifier: GPL-2.0-only */
/* Seconds and nanoseconds as the kernel keeps them. */
#ifndef _LINUX_TIME64_H
#define _LINUX_TIME64_H

#include <linux/types.h>
#include <linux/compiler.h>

#define NSEC_PER_SEC	1000000000L
#define NSEC_PER_USEC	1000L
#define USEC_PER_SEC	1000000L
#define USEC_PER_MSEC	1000L

struct timespec64 {
	time64_t tv_sec;
	long tv_nsec;
};

static inline bool timespec64_valid(const struct timespec64 *ts)
{
	return ts->tv_sec >= 0 && ts->tv_nsec >= 0 &&
	       ts->tv_nsec < NSEC_PER_SEC;
}

#endif
