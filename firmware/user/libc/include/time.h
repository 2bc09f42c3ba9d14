/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks, sleeping, and calendar time in UTC. */
#ifndef TIME_H
#define TIME_H

#include <linux/time.h>
#include <sys/types.h>

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
	int	tm_wday;	/* 0: Sunday */
	int	tm_yday;
};

int clock_gettime(int clock, struct timespec *ts);
int nanosleep(const struct timespec *ts, struct timespec *left);
/* UTC's own: the inverse of gmtime_r(). */
time_t timegm(const struct tm *tm);
size_t strftime(char *to, size_t size, const char *format,
		const struct tm *tm);
struct tm *gmtime_r(const time_t *when, struct tm *tm);

#endif
