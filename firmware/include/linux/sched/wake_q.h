/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks to wake once the lock is free under which they were found. Each has one
 * node: who finds it in use leaves the wake-up to the one who queued the task.
 * So a task may be woken late, when it waits for something else by then.
 */
#ifndef _LINUX_SCHED_WAKE_Q_H
#define _LINUX_SCHED_WAKE_Q_H

#include <linux/sched.h>

struct wake_q_head {
	struct wake_q_node *first;
	struct wake_q_node **lastp;
};

/* What ends a queue: not NULL, which says that a task is in none. */
#define WAKE_Q_TAIL	((struct wake_q_node *)0x01)

#define DEFINE_WAKE_Q(name)			\
	struct wake_q_head name = { WAKE_Q_TAIL, &name.first }

static inline bool wake_q_empty(const struct wake_q_head *head)
{
	return head->first == WAKE_Q_TAIL;
}

/* The queue has a reference of its own to the task. */
void wake_q_add(struct wake_q_head *head, struct task_struct *task);
/* It takes over the caller's. */
void wake_q_add_safe(struct wake_q_head *head, struct task_struct *task);
/* With no lock held that wake_up_process() takes. */
void wake_up_q(struct wake_q_head *head);

#endif
