/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks, sleeping, and calendar time in UTC. */
#ifndef TIME_H
#define TIME_H

#include <sys/types.h>

#define CLOCK_REALTIME	0
#define CLOCK_MONOTONIC	1

struct timespec {
	time_t	tv_sec;
	long	tv_nsec;
};

struct tm {
	int	tm_sec;
	int	tm_min;
	int	tm_hour;
	int	tm_mday;
	int	tm_mon;		/* 0 to 11 */
	int	tm_year;	/* since 1900 */
};

int clock_gettime(int clock, struct timespec *ts);
int nanosleep(const struct timespec *ts, struct timespec *left);
struct tm *gmtime_r(const time_t *when, struct tm *tm);

#endif
