/* SPDX-License-Identifier: GPL-2.0-only */
/* What poll's and select's variants have in common: times and signal masks. */
#ifndef _FS_POLL_TIMEOUT_H
#define _FS_POLL_TIMEOUT_H

#include <linux/signal_types.h>
#include <linux/time.h>
#include <linux/types.h>

/* When the wait ends, to tell afterwards how much of it was left. */
struct poll_deadline {
	bool	set;
	s64	end;
};

/* 0, also without one; -EFAULT or -EINVAL. */
int poll_get_timespec(struct timespec64 *ts,
		      const struct __kernel_timespec __user *uts);
void poll_deadline_set(struct poll_deadline *d, const struct timespec64 *ts);
/* Tell the caller what is left of the time; they return @ret. */
int poll_deadline_put_timespec(const struct poll_deadline *d,
			       struct __kernel_timespec __user *uts, int ret);
int poll_deadline_put_timeval(const struct poll_deadline *d,
			      struct __kernel_old_timeval __user *utv, int ret);

/* The mask for the time of the call, if there is one. */
int poll_set_sigmask(const sigset_t __user *mask, size_t size);
/* @interrupted: it goes back only once the signal's handler has run. */
void poll_restore_sigmask(bool interrupted);

#endif
