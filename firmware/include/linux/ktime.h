/* SPDX-License-Identifier: GPL-2.0-only */
/* Time as signed nanoseconds since boot. */
#ifndef _LINUX_KTIME_H
#define _LINUX_KTIME_H

#include <linux/types.h>
#include <linux/time.h>

typedef s64 ktime_t;

#define KTIME_MAX	((s64)(~0ULL >> 1))

ktime_t ktime_get(void);
/* Every machine boots at the same moment: 2025-01-01 00:00:00 UTC, in seconds. */
#define WALL_CLOCK_AT_BOOT	1735689600L

ktime_t ktime_get_real(void);
u64 sched_clock(void);

static inline time64_t ktime_get_real_seconds(void)
{
	return ktime_get_real() / NSEC_PER_SEC;
}

static inline ktime_t timespec64_to_ktime(struct timespec64 ts)
{
	if (ts.tv_sec >= KTIME_MAX / NSEC_PER_SEC)
		return KTIME_MAX;
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static inline struct timespec64 ktime_to_timespec64(ktime_t kt)
{
	return (struct timespec64){ .tv_sec = kt / NSEC_PER_SEC,
				    .tv_nsec = kt % NSEC_PER_SEC };
}

/* kernel/time/time.c: from and to programs; 0 or -EFAULT, -EINVAL */
int get_timespec64(struct timespec64 *ts,
		   const struct __kernel_timespec __user *uts);
int put_ktime(ktime_t time, struct __kernel_timespec __user *uts);
int get_itimerspec(ktime_t *value, ktime_t *interval,
		   const struct __kernel_itimerspec __user *uit);
int put_itimerspec(ktime_t value, ktime_t interval,
		   struct __kernel_itimerspec __user *uit);
ktime_t clock_to_monotonic(clockid_t clock, ktime_t time);

/* Saturates instead of passing the end of time. */
static inline ktime_t ktime_add_safe(ktime_t a, ktime_t b)
{
	return a > KTIME_MAX - b ? KTIME_MAX : a + b;
}

#endif
