/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping for a number of jiffies. */
#include <linux/kernel.h>
#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/timer.h>

struct process_timer {
	struct timer_list timer;
	struct task_struct *task;
};

static void process_timeout(struct timer_list *timer)
{
	struct process_timer *t = from_timer(t, timer, timer);

	wake_up_process(t->task);
}

/* Sleeps in the state that the caller set; returns the jiffies left. */
long __sched schedule_timeout(long timeout)
{
	struct process_timer t = { .task = current };
	unsigned long expires;

	if (timeout == MAX_SCHEDULE_TIMEOUT) {
		schedule();
		return timeout;
	}
	expires = jiffies + timeout;
	timer_setup(&t.timer, process_timeout, 0);
	mod_timer(&t.timer, expires);
	schedule();
	del_timer_sync(&t.timer);
	return max_t(long, expires - jiffies, 0);
}

long __sched schedule_timeout_interruptible(long timeout)
{
	__set_current_state(TASK_INTERRUPTIBLE);
	return schedule_timeout(timeout);
}

long __sched schedule_timeout_uninterruptible(long timeout)
{
	__set_current_state(TASK_UNINTERRUPTIBLE);
	return schedule_timeout(timeout);
}

void msleep(unsigned int msecs)
{
	unsigned long timeout = msecs_to_jiffies(msecs) + 1;

	while (timeout)
		timeout = schedule_timeout_uninterruptible(timeout);
}

/* Returns the milliseconds left if a signal came. */
unsigned long msleep_interruptible(unsigned int msecs)
{
	unsigned long timeout = msecs_to_jiffies(msecs) + 1;

	while (timeout && !signal_pending(current))
		timeout = schedule_timeout_interruptible(timeout);
	return jiffies_to_msecs(timeout);
}
