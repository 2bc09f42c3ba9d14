/* SPDX-License-Identifier: GPL-2.0-only */
/* Times between the kernel and programs. */
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/uaccess.h>

int get_timespec64(struct timespec64 *ts,
		   const struct __kernel_timespec __user *uts)
{
	struct __kernel_timespec kts;

	if (copy_from_user(&kts, uts, sizeof(kts)))
		return -EFAULT;
	ts->tv_sec = kts.tv_sec;
	ts->tv_nsec = kts.tv_nsec;
	return timespec64_valid(ts) ? 0 : -EINVAL;
}

/* A timer's setting, as times in ns. */
int get_itimerspec(ktime_t *value, ktime_t *interval,
		   const struct __kernel_itimerspec __user *uit)
{
	struct timespec64 ts;
	int err = get_timespec64(&ts, &uit->it_interval);

	*interval = timespec64_to_ktime(ts);
	if (!err)
		err = get_timespec64(&ts, &uit->it_value);
	*value = timespec64_to_ktime(ts);
	return err;
}

static inline struct __kernel_timespec to_timespec(ktime_t time)
{
	return (struct __kernel_timespec){ .tv_sec = time / NSEC_PER_SEC,
					   .tv_nsec = time % NSEC_PER_SEC };
}

int put_ktime(ktime_t time, struct __kernel_timespec __user *uts)
{
	struct __kernel_timespec kts = to_timespec(time);

	return copy_to_user(uts, &kts, sizeof(kts)) ? -EFAULT : 0;
}

int put_itimerspec(ktime_t value, ktime_t interval,
		   struct __kernel_itimerspec __user *uit)
{
	struct __kernel_itimerspec it = {
		.it_interval	= to_timespec(interval),
		.it_value	= to_timespec(value),
	};

	return copy_to_user(uit, &it, sizeof(it)) ? -EFAULT : 0;
}

/* When that is by the clock that timers go by; the past is at once. */
ktime_t clock_to_monotonic(clockid_t clock, ktime_t time)
{
	if (clock == CLOCK_REALTIME && time != KTIME_MAX)
		time -= ktime_get_real() - ktime_get();
	return time > 0 ? time : 1;
}
