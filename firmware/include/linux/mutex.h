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
void mutex_unlock(struct mutex *lock);

#define mutex_init(lock)	__mutex_init(lock)

#endif
