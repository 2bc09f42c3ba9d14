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

#define __SWAIT_QUEUE_HEAD_INITIALIZER(name) {	\
	.lock = __SPIN_LOCK_UNLOCKED,		\
	.task_list = LIST_HEAD_INIT((name).task_list) }

#define DECLARE_SWAITQUEUE(name)				\
	struct swait_queue name = {				\
		.task = current,				\
		.task_list = LIST_HEAD_INIT(name.task_list) }

static inline void init_swait_queue_head(struct swait_queue_head *q)
{
	*q = (struct swait_queue_head)__SWAIT_QUEUE_HEAD_INITIALIZER(*q);
}

/* With the queue locked: the first waiter is woken, if there is one. */
void swake_up_locked(struct swait_queue_head *q);
void __prepare_to_swait(struct swait_queue_head *q, struct swait_queue *wait);
void __finish_swait(struct swait_queue_head *q, struct swait_queue *wait);

void swake_up_one(struct swait_queue_head *q);
long prepare_to_swait_event(struct swait_queue_head *q,
			    struct swait_queue *wait, int state);
void finish_swait(struct swait_queue_head *q, struct swait_queue *wait);

/* Sleeps until @condition, but no more than @timeout jiffies; those left. */
#define swait_event_idle_timeout_exclusive(wq, condition, timeout) ({	\
	DECLARE_SWAITQUEUE(_wait);					\
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
