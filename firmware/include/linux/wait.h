/* SPDX-License-Identifier: GPL-2.0-only */
/* Wait queues: sleep until a condition holds. */
#ifndef _LINUX_WAIT_H
#define _LINUX_WAIT_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>

struct wait_queue_entry;

typedef int (*wait_queue_func_t)(struct wait_queue_entry *entry,
				 unsigned int mode, int flags, void *key);

#define WQ_FLAG_EXCLUSIVE	0x01

typedef struct wait_queue_entry {
	unsigned int flags;
	struct task_struct *private;
	wait_queue_func_t func;
	struct list_head entry;
} wait_queue_entry_t;

typedef struct wait_queue_head {
	spinlock_t lock;
	struct list_head head;
} wait_queue_head_t;

#define __WAIT_QUEUE_HEAD_INITIALIZER(name) {	\
	.lock = __SPIN_LOCK_UNLOCKED,		\
	.head = LIST_HEAD_INIT((name).head) }
#define DECLARE_WAIT_QUEUE_HEAD(name) \
	wait_queue_head_t name = __WAIT_QUEUE_HEAD_INITIALIZER(name)
#define DEFINE_WAIT_FUNC(name, function)		\
	wait_queue_entry_t name = {			\
		.private = current,			\
		.func = function,			\
		.entry = LIST_HEAD_INIT((name).entry) }
#define DEFINE_WAIT(name)	DEFINE_WAIT_FUNC(name, autoremove_wake_function)

void __init_waitqueue_head(wait_queue_head_t *wq);
#define init_waitqueue_head(wq)	__init_waitqueue_head(wq)

void add_wait_queue(wait_queue_head_t *wq, wait_queue_entry_t *entry);
void remove_wait_queue(wait_queue_head_t *wq, wait_queue_entry_t *entry);
long prepare_to_wait_event(wait_queue_head_t *wq, wait_queue_entry_t *entry,
			   int state);
void finish_wait(wait_queue_head_t *wq, wait_queue_entry_t *entry);
int default_wake_function(wait_queue_entry_t *entry, unsigned int mode,
			  int flags, void *key);
int autoremove_wake_function(wait_queue_entry_t *entry, unsigned int mode,
			     int flags, void *key);

void __wake_up(wait_queue_head_t *wq, unsigned int mode, int nr_exclusive,
	       void *key);
void __wake_up_sync_key(wait_queue_head_t *wq, unsigned int mode, void *key);

#define wake_up(wq)			__wake_up(wq, TASK_NORMAL, 1, NULL)
#define wake_up_all(wq)			__wake_up(wq, TASK_NORMAL, 0, NULL)
#define wake_up_interruptible(wq) \
	__wake_up(wq, TASK_INTERRUPTIBLE, 1, NULL)
#define wake_up_interruptible_all(wq) \
	__wake_up(wq, TASK_INTERRUPTIBLE, 0, NULL)
#define wake_up_interruptible_sync(wq) \
	__wake_up_sync_key(wq, TASK_INTERRUPTIBLE, NULL)

static inline bool waitqueue_active(wait_queue_head_t *wq)
{
	return !list_empty(&wq->head);
}

#define ___wait_event(wq, condition, state, exclusive_flag) ({		\
	long _ret = 0;							\
	DEFINE_WAIT(_wait);						\
									\
	_wait.flags = (exclusive_flag);					\
	for (;;) {							\
		_ret = prepare_to_wait_event(&(wq), &_wait, state);	\
		if (condition) {					\
			_ret = 0;					\
			break;						\
		}							\
		if (_ret)						\
			break;						\
		schedule();						\
	}								\
	finish_wait(&(wq), &_wait);					\
	_ret; })

#define wait_event(wq, condition)					\
	do {								\
		might_sleep();						\
		if (!(condition))					\
			(void)___wait_event(wq, condition,		\
					    TASK_UNINTERRUPTIBLE, 0);	\
	} while (0)

/* 0, or -ERESTARTSYS if a signal came first. */
#define wait_event_interruptible(wq, condition)				\
	(might_sleep(), (condition) ? 0 : (int)___wait_event(wq, condition,		\
					      TASK_INTERRUPTIBLE, 0))

#define wait_event_interruptible_exclusive(wq, condition)		\
	(might_sleep(), (condition) ? 0 : (int)___wait_event(wq, condition,		\
					      TASK_INTERRUPTIBLE,	\
					      WQ_FLAG_EXCLUSIVE))

#define ___wait_event_timeout(wq, condition, state, timeout) ({	\
	long _left = (timeout), _int = 0;				\
	DEFINE_WAIT(_wait);						\
									\
	_wait.flags = 0;						\
	for (;;) {							\
		_int = prepare_to_wait_event(&(wq), &_wait, state);	\
		if (condition) {					\
			_left = _left ?: 1;				\
			break;						\
		}							\
		if (!_left)						\
			break;						\
		if (_int) {						\
			_left = _int;					\
			break;						\
		}							\
		_left = schedule_timeout(_left);			\
	}								\
	finish_wait(&(wq), &_wait);					\
	_left; })

/* 0: the time is over and the condition false; else what is left, at least 1. */
#define wait_event_timeout(wq, condition, timeout)			\
	(might_sleep(), (condition) ? ((timeout) ?: 1) :		\
	 ___wait_event_timeout(wq, condition, TASK_UNINTERRUPTIBLE, timeout))

/* The same, or -ERESTARTSYS. */
#define wait_event_interruptible_timeout(wq, condition, timeout)	\
	(might_sleep(), (condition) ? ((timeout) ?: 1) :		\
	 ___wait_event_timeout(wq, condition, TASK_INTERRUPTIBLE, timeout))

#define wait_event_killable_timeout(wq, condition, timeout)		\
	(might_sleep(), (condition) ? ((timeout) ?: 1) :		\
	 ___wait_event_timeout(wq, condition, TASK_KILLABLE, timeout))

#define wait_event_idle(wq, condition)					\
	do {								\
		might_sleep();						\
		if (!(condition))					\
			(void)___wait_event(wq, condition, TASK_IDLE, 0); \
	} while (0)

#endif
