/* SPDX-License-Identifier: GPL-2.0-only */
/* Wait queues. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include "sched.h"

void __init_waitqueue_head(wait_queue_head_t *wq)
{
	*wq = (wait_queue_head_t)__WAIT_QUEUE_HEAD_INITIALIZER(*wq);
}

void add_wait_queue(wait_queue_head_t *wq, wait_queue_entry_t *entry)
{
	unsigned long flags;

	spin_lock_irqsave(&wq->lock, flags);
	list_add(&entry->entry, &wq->head);
	spin_unlock_irqrestore(&wq->lock, flags);
}

void remove_wait_queue(wait_queue_head_t *wq, wait_queue_entry_t *entry)
{
	unsigned long flags;

	spin_lock_irqsave(&wq->lock, flags);
	list_del_init(&entry->entry);
	spin_unlock_irqrestore(&wq->lock, flags);
}

/* Exclusive entries come last: the others are always woken before them. */
static inline void queue_waiter(wait_queue_head_t *wq,
				wait_queue_entry_t *entry)
{
	if (!list_empty(&entry->entry))
		return;
	if (entry->flags & WQ_FLAG_EXCLUSIVE)
		list_add_tail(&entry->entry, &wq->head);
	else
		list_add(&entry->entry, &wq->head);
}

/*
 * Queues, then sets the state: a waker between the two is not missed. Or
 * -ERESTARTSYS: a signal is pending, and nobody will pass a wake-up to us.
 */
long prepare_to_wait_event(wait_queue_head_t *wq, wait_queue_entry_t *entry,
			   int state)
{
	unsigned long flags;
	long ret = 0;

	spin_lock_irqsave(&wq->lock, flags);
	if (signal_pending_state(state, current)) {
		list_del_init(&entry->entry);
		ret = -ERESTARTSYS;
	} else {
		queue_waiter(wq, entry);
		set_current_state(state);
	}
	spin_unlock_irqrestore(&wq->lock, flags);
	return ret;
}

void finish_wait(wait_queue_head_t *wq, wait_queue_entry_t *entry)
{
	unsigned long flags;

	__set_current_state(TASK_RUNNING);
	if (!list_empty(&entry->entry)) {
		spin_lock_irqsave(&wq->lock, flags);
		list_del_init(&entry->entry);
		spin_unlock_irqrestore(&wq->lock, flags);
	}
}

int default_wake_function(wait_queue_entry_t *entry, unsigned int mode,
			  int flags, void *key)
{
	return try_to_wake_up(entry->private, mode, flags);
}

int autoremove_wake_function(wait_queue_entry_t *entry, unsigned int mode,
			     int flags, void *key)
{
	int ret = default_wake_function(entry, mode, flags, key);

	if (ret)
		list_del_init(&entry->entry);
	return ret;
}

/* With wq->lock held. @nr_exclusive 0: all of them. */
static void __wake_up_common(wait_queue_head_t *wq, unsigned int mode,
			     int nr_exclusive, int wake_flags, void *key)
{
	wait_queue_entry_t *curr, *next;

	list_for_each_entry_safe(curr, next, &wq->head, entry)
		if (curr->func(curr, mode, wake_flags, key) &&
		    curr->flags & WQ_FLAG_EXCLUSIVE && !--nr_exclusive)
			break;
}

static void __wake_up_common_lock(wait_queue_head_t *wq, unsigned int mode,
				  int nr_exclusive, int wake_flags, void *key)
{
	unsigned long flags;

	spin_lock_irqsave(&wq->lock, flags);
	__wake_up_common(wq, mode, nr_exclusive, wake_flags, key);
	spin_unlock_irqrestore(&wq->lock, flags);
}

void __wake_up(wait_queue_head_t *wq, unsigned int mode, int nr_exclusive,
	       void *key)
{
	__wake_up_common_lock(wq, mode, nr_exclusive, 0, key);
}

/* The caller is about to sleep: the woken may well run on its CPU. */
void __wake_up_sync_key(wait_queue_head_t *wq, unsigned int mode, void *key)
{
	__wake_up_common_lock(wq, mode, 1, WF_SYNC, key);
}
