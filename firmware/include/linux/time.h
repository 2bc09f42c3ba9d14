/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks, and the shapes user space has for time. */
#ifndef _LINUX_TIME_H
#define _LINUX_TIME_H

#include <linux/types.h>
#include <linux/time64.h>
#include <asm/posix_types.h>
#include <uapi/linux/time.h>

struct __kernel_timespec {
	long long tv_sec;
	long long tv_nsec;
};

struct __kernel_itimerspec {
	struct __kernel_timespec it_interval;
	struct __kernel_timespec it_value;
};

struct timezone {
	int tz_minuteswest;
	int tz_dsttime;
};

struct __kernel_old_timeval {
	__kernel_old_time_t tv_sec;
	__kernel_suseconds_t tv_usec;
};

void ktime_get_real_ts64(struct timespec64 *ts);
void ktime_get_coarse_real_ts64(struct timespec64 *ts);

#endif
