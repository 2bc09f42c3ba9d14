/* SPDX-License-Identifier: GPL-2.0-only */
/* Simple wait queues: one kind of waiter, woken one at a time. */
#ifndef _LINUX_SWAIT_H
#define _LINUX_SWAIT_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

struct swait_queue_head {
	raw_spinlock_t lock;
	struct list_head task_list;
};

struct swait_queue {
	struct task_struct *task;
	struct list_head task_list;
};

void swake_up_one(struct swait_queue_head *q);
long prepare_to_swait_event(struct swait_queue_head *q,
			    struct swait_queue *wait, int state);
void finish_swait(struct swait_queue_head *q, struct swait_queue *wait);

/* Sleeps until @condition, but no more than @timeout jiffies; those left. */
#define swait_event_idle_timeout_exclusive(wq, condition, timeout) ({	\
	struct swait_queue _wait = {					\
		.task = current,					\
		.task_list = LIST_HEAD_INIT(_wait.task_list) };		\
	long _left = (timeout);						\
									\
	while (!(condition) && _left) {					\
		prepare_to_swait_event(&(wq), &_wait, TASK_IDLE);	\
		if (condition)						\
			break;						\
		_left = schedule_timeout(_left);			\
	}								\
	finish_swait(&(wq), &_wait);					\
	_left; })

#define swait_event_idle_exclusive(wq, condition)			\
	((void)swait_event_idle_timeout_exclusive(wq, condition,	\
						  MAX_SCHEDULE_TIMEOUT))

#endif
