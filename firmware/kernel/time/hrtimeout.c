/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping until woken, or until a time in nanoseconds. */
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/sched.h>

struct hrtimeout {
	struct hrtimer timer;
	struct task_struct *task;	/* NULL once the time has come */
};

static enum hrtimer_restart hrtimeout_wakeup(struct hrtimer *timer)
{
	struct hrtimeout *t = container_of(timer, struct hrtimeout, timer);
	struct task_struct *task = t->task;

	WRITE_ONCE(t->task, NULL);
	if (task)
		wake_up_process(task);
	return HRTIMER_NORESTART;
}

/*
 * Sleeps in the state that the caller set. 0: the time has come, -EINTR: woken
 * before; @expires is NULL for no end.
 */
int schedule_hrtimeout(const ktime_t *expires, enum hrtimer_mode mode)
{
	struct hrtimeout t = { .task = current };

	if (expires && !*expires) {
		__set_current_state(TASK_RUNNING);
		return 0;
	}
	if (!expires || *expires == KTIME_MAX) {
		schedule();
		return -EINTR;
	}
	hrtimer_init(&t.timer, CLOCK_MONOTONIC, mode);
	t.timer.function = hrtimeout_wakeup;
	hrtimer_start(&t.timer, *expires, mode);
	if (likely(READ_ONCE(t.task)))
		schedule();
	hrtimer_cancel(&t.timer);
	__set_current_state(TASK_RUNNING);
	return READ_ONCE(t.task) ? -EINTR : 0;
}
