/* SPDX-License-Identifier: GPL-2.0-only */
/* Times and signal masks of poll and select. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "timeout.h"

int poll_get_timespec(struct timespec64 *ts,
		      const struct __kernel_timespec __user *uts)
{
	struct __kernel_timespec kts;

	if (!uts)
		return 0;
	if (copy_from_user(&kts, uts, sizeof(kts)))
		return -EFAULT;
	ts->tv_sec = kts.tv_sec;
	ts->tv_nsec = kts.tv_nsec;
	return timespec64_valid(ts) ? 0 : -EINVAL;
}

void poll_deadline_set(struct poll_deadline *d, const struct timespec64 *ts)
{
	d->set = ts && (ts->tv_sec || ts->tv_nsec);
	d->end = d->set ? ktime_add_safe(ktime_get(), timespec64_to_ktime(*ts))
			: 0;
}

static s64 time_left(const struct poll_deadline *d)
{
	return max_t(s64, d->end - ktime_get(), 0);
}

/* A call that is to be restarted must find its time as it was. */
int poll_deadline_put_timespec(const struct poll_deadline *d,
			       struct __kernel_timespec __user *uts, int ret)
{
	struct __kernel_timespec rest;
	s64 left;

	if (!d->set || !uts)
		return ret;
	left = time_left(d);
	rest.tv_sec = left / NSEC_PER_SEC;
	rest.tv_nsec = left % NSEC_PER_SEC;
	if (!copy_to_user(uts, &rest, sizeof(rest)))
		return ret;
	return ret == -ERESTARTNOHAND ? -EINTR : ret;
}

int poll_deadline_put_timeval(const struct poll_deadline *d,
			      struct __kernel_old_timeval __user *utv, int ret)
{
	struct __kernel_old_timeval rest;
	s64 left;

	if (!d->set || !utv)
		return ret;
	left = time_left(d);
	memset(&rest, 0, sizeof(rest));
	rest.tv_sec = left / NSEC_PER_SEC;
	rest.tv_usec = left % NSEC_PER_SEC / NSEC_PER_USEC;
	if (!copy_to_user(utv, &rest, sizeof(rest)))
		return ret;
	return ret == -ERESTARTNOHAND ? -EINTR : ret;
}

int poll_set_sigmask(const sigset_t __user *mask, size_t size)
{
	sigset_t set;

	if (!mask)
		return 0;
	if (size != sizeof(set))
		return -EINVAL;
	if (copy_from_user(&set, mask, sizeof(set)))
		return -EFAULT;
	set_restore_sigmask();
	current->saved_sigmask = current->blocked;
	set_current_blocked(&set);
	return 0;
}

void poll_restore_sigmask(bool interrupted)
{
	if (!interrupted)
		restore_saved_sigmask();
}
