/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping locks with many readers or one writer. */
#ifndef _LINUX_RWSEM_H
#define _LINUX_RWSEM_H

#include <linux/list.h>
#include <linux/spinlock.h>

struct rw_semaphore {
	unsigned long count;		/* who has it: see rwsem.c */
	u64 read_released;		/* in cycles: when the last one ... */
	u64 write_released;		/* ... of each kind let go */
	spinlock_t wait_lock;
	struct list_head wait_list;
};

#define __RWSEM_INITIALIZER(name) {				\
	.wait_lock = __SPIN_LOCK_UNLOCKED,			\
	.wait_list = LIST_HEAD_INIT((name).wait_list) }

#define DECLARE_RWSEM(name) \
	struct rw_semaphore name = __RWSEM_INITIALIZER(name)

void __init_rwsem(struct rw_semaphore *sem);
void down_read(struct rw_semaphore *sem);
int down_read_trylock(struct rw_semaphore *sem);
void up_read(struct rw_semaphore *sem);
void down_write(struct rw_semaphore *sem);
void up_write(struct rw_semaphore *sem);

#define init_rwsem(sem)		__init_rwsem(sem)

#endif
