/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping locks with one owner. */
#ifndef _LINUX_MUTEX_H
#define _LINUX_MUTEX_H

#include <linux/list.h>
#include <linux/spinlock.h>

struct task_struct;

struct mutex {
	struct task_struct *owner;	/* NULL: free */
	spinlock_t wait_lock;
	struct list_head wait_list;
	struct lock_release release;
};

#define __MUTEX_INITIALIZER(name) {				\
	.wait_lock = __SPIN_LOCK_UNLOCKED,			\
	.wait_list = LIST_HEAD_INIT((name).wait_list) }
#define DEFINE_MUTEX(name)	struct mutex name = __MUTEX_INITIALIZER(name)

void __mutex_init(struct mutex *lock);
void mutex_lock(struct mutex *lock);
int mutex_lock_interruptible(struct mutex *lock);
int mutex_lock_killable(struct mutex *lock);
int mutex_trylock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

#define mutex_init(lock)	__mutex_init(lock)

static inline bool mutex_is_locked(struct mutex *lock)
{
	return READ_ONCE(lock->owner);
}

#endif
