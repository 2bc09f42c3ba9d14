/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that ask for the time. */
#include <linux/kernel.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/posix-timers.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

static int posix_clock_read(clockid_t clock, ktime_t *now)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
		*now = ktime_get_real();
		return 0;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		*now = ktime_get();
		return 0;
	case CLOCK_PROCESS_CPUTIME_ID:
		return posix_cpu_clock_get(make_process_cpuclock(0, CPUCLOCK_SCHED),
					   now);
	case CLOCK_THREAD_CPUTIME_ID:
		return posix_cpu_clock_get(make_thread_cpuclock(0, CPUCLOCK_SCHED),
					   now);
	default:
		return clock < 0 ? posix_cpu_clock_get(clock, now) : -EINVAL;
	}
}

SYSCALL_DEFINE2(clock_gettime, const clockid_t, which_clock,
		struct __kernel_timespec __user *, tp)
{
	ktime_t now;
	int err = posix_clock_read(which_clock, &now);

	return err ? err : put_ktime(now, tp);
}

/* In ns: of a tick's where ticks are what is counted, or would be enough. */
static ktime_t clock_resolution(clockid_t clock)
{
	if (clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE ||
	    (clock < 0 && CPUCLOCK_WHICH(clock) != CPUCLOCK_SCHED))
		return TICK_NSEC;
	return 1;
}

SYSCALL_DEFINE2(clock_getres, const clockid_t, which_clock,
		struct __kernel_timespec __user *, tp)
{
	ktime_t now;
	int err = posix_clock_read(which_clock, &now);

	if (err || !tp)
		return err;
	return put_ktime(clock_resolution(which_clock), tp);
}

SYSCALL_DEFINE2(gettimeofday, struct __kernel_old_timeval __user *, tv,
		struct timezone __user *, tz)
{
	ktime_t now = ktime_get_real();
	struct __kernel_old_timeval ktv = {
		.tv_sec = now / NSEC_PER_SEC,
		.tv_usec = now % NSEC_PER_SEC / NSEC_PER_USEC,
	};

	/* There are no time zones here. */
	if (tz && clear_user(tz, sizeof(*tz)))
		return -EFAULT;
	return tv && copy_to_user(tv, &ktv, sizeof(ktv)) ? -EFAULT : 0;
}

SYSCALL_DEFINE1(time, __kernel_old_time_t __user *, tloc)
{
	__kernel_old_time_t now = ktime_get_real() / NSEC_PER_SEC;

	if (tloc && put_user(now, tloc))
		return -EFAULT;
	return now;
}
