/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping for a time. */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

static enum hrtimer_restart hrtimer_wakeup(struct hrtimer *timer)
{
	struct hrtimer_sleeper *t =
		container_of(timer, struct hrtimer_sleeper, timer);
	struct task_struct *task = t->task;

	WRITE_ONCE(t->task, NULL);
	if (task)
		wake_up_process(task);
	return HRTIMER_NORESTART;
}

void hrtimer_init_sleeper(struct hrtimer_sleeper *sl, clockid_t clock,
			  enum hrtimer_mode mode)
{
	hrtimer_init(&sl->timer, clock, mode);
	sl->timer.function = hrtimer_wakeup;
	sl->task = current;
}

void hrtimer_sleeper_start_expires(struct hrtimer_sleeper *sl,
				   enum hrtimer_mode mode)
{
	hrtimer_start_expires(&sl->timer, mode);
}

static int __sched do_nanosleep(struct hrtimer_sleeper *t,
				enum hrtimer_mode mode)
{
	do {
		set_current_state(TASK_INTERRUPTIBLE);
		hrtimer_sleeper_start_expires(t, mode);
		if (likely(READ_ONCE(t->task)))
			schedule();
		hrtimer_cancel(&t->timer);
		mode = HRTIMER_MODE_ABS;
	} while (READ_ONCE(t->task) && !signal_pending(current));
	__set_current_state(TASK_RUNNING);
	return READ_ONCE(t->task) ? -EINTR : 0;
}

/*
 * Sleeps in the state that the caller set, until @expires or a wake-up; which
 * is -EINTR, however it came about. KTIME_MAX is never.
 */
int __sched schedule_hrtimeout(const ktime_t *expires, enum hrtimer_mode mode)
{
	struct hrtimer_sleeper t;

	if (*expires == KTIME_MAX) {
		schedule();
		return -EINTR;
	}
	hrtimer_init_sleeper(&t, CLOCK_MONOTONIC, mode);
	hrtimer_set_expires(&t.timer, *expires);
	hrtimer_sleeper_start_expires(&t, mode);
	if (likely(READ_ONCE(t.task)))
		schedule();
	hrtimer_cancel(&t.timer);
	__set_current_state(TASK_RUNNING);
	return READ_ONCE(t.task) ? -EINTR : 0;
}

static int report_rest(struct __kernel_timespec __user *rmtp, ktime_t expires)
{
	return put_ktime(max_t(ktime_t, expires - ktime_get(), 0), rmtp);
}

static long hrtimer_nanosleep_restart(struct restart_block *restart)
{
	struct hrtimer_sleeper t;

	hrtimer_init_sleeper(&t, restart->nanosleep.clockid, HRTIMER_MODE_ABS);
	hrtimer_set_expires(&t.timer, restart->nanosleep.expires);
	if (!do_nanosleep(&t, HRTIMER_MODE_ABS))
		return 0;
	if (restart->nanosleep.rmtp &&
	    report_rest(restart->nanosleep.rmtp, hrtimer_get_expires(&t.timer)))
		return -EFAULT;
	return set_restart_fn(restart, hrtimer_nanosleep_restart);
}

long hrtimer_nanosleep(ktime_t rqtp, enum hrtimer_mode mode, clockid_t clock,
		       struct __kernel_timespec __user *rmtp)
{
	struct restart_block *restart = &current->restart_block;
	struct hrtimer_sleeper t;

	hrtimer_init_sleeper(&t, clock, mode);
	hrtimer_set_expires(&t.timer, rqtp);
	if (!do_nanosleep(&t, mode))
		return 0;
	if (mode == HRTIMER_MODE_ABS)
		return -ERESTARTNOHAND;
	if (rmtp && report_rest(rmtp, hrtimer_get_expires(&t.timer)))
		return -EFAULT;
	restart->nanosleep.clockid = clock;
	restart->nanosleep.rmtp = rmtp;
	restart->nanosleep.expires = hrtimer_get_expires(&t.timer);
	return set_restart_fn(restart, hrtimer_nanosleep_restart);
}

SYSCALL_DEFINE2(nanosleep, struct __kernel_timespec __user *, rqtp,
		struct __kernel_timespec __user *, rmtp)
{
	struct timespec64 ts;
	int err = get_timespec64(&ts, rqtp);

	if (err)
		return err;
	return hrtimer_nanosleep(timespec64_to_ktime(ts), HRTIMER_MODE_REL,
				 CLOCK_MONOTONIC, rmtp);
}

SYSCALL_DEFINE4(clock_nanosleep, const clockid_t, which_clock, int, flags,
		const struct __kernel_timespec __user *, rqtp,
		struct __kernel_timespec __user *, rmtp)
{
	struct timespec64 ts;
	ktime_t time;
	int err;

	if (which_clock == CLOCK_THREAD_CPUTIME_ID ||
	    which_clock > CLOCK_BOOTTIME)
		return -EINVAL;
	if (which_clock != CLOCK_REALTIME && which_clock != CLOCK_MONOTONIC &&
	    which_clock != CLOCK_BOOTTIME)
		return -EOPNOTSUPP;
	err = get_timespec64(&ts, rqtp);
	if (err)
		return err;
	time = timespec64_to_ktime(ts);
	if (!(flags & TIMER_ABSTIME))
		return hrtimer_nanosleep(time, HRTIMER_MODE_REL, which_clock, rmtp);
	return hrtimer_nanosleep(clock_to_monotonic(which_clock, time),
				 HRTIMER_MODE_ABS, which_clock, NULL);
}
