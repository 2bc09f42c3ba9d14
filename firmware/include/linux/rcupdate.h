/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read-copy-update: readers take no lock, and who removes what they may be
 * looking at waits for a grace period, in which all who read then have ended.
 *
 * A reader that is behind the writer in time may still see what that one
 * published: where this matters, the data has a struct lock_release.
 */
#ifndef _LINUX_RCUPDATE_H
#define _LINUX_RCUPDATE_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/barrier.h>

typedef void (*rcu_callback_t)(struct rcu_head *head);

/* Readers may be preempted, but must not sleep. They nest. */
void __rcu_read_lock(void);
void __rcu_read_unlock(void);

#define rcu_read_lock()		__rcu_read_lock()
#define rcu_read_unlock()	__rcu_read_unlock()

#define rcu_dereference(p)		READ_ONCE(p)
#define rcu_access_pointer(p)		READ_ONCE(p)
#define rcu_dereference_protected(p, c)	(p)
#define rcu_assign_pointer(p, v)	smp_store_release(&(p), v)
#define RCU_INIT_POINTER(p, v)		WRITE_ONCE(p, v)

/* Calls @func in softirq context after a grace period. */
void call_rcu(struct rcu_head *head, rcu_callback_t func);
/* These two sleep: for a grace period; until all callbacks so far ran. */
void synchronize_rcu(void);
void synchronize_rcu_expedited(void);
void rcu_barrier(void);
/* Sleeps until every task has slept, been in user mode, or ended. */
void synchronize_rcu_tasks(void);

void kvfree_call_rcu(struct rcu_head *head, void *object);
/* @member: the object's struct rcu_head, less than a page from its start. */
#define kfree_rcu(ptr, member)	kvfree_call_rcu(&(ptr)->member, ptr)

/* The kernel's own points at which RCU looks. */
void rcu_init(void);
void rcu_note_context_switch(bool preempt);
void rcu_sched_clock_irq(int user);
int rcu_needs_cpu(void);
void exit_tasks_rcu_start(void);
void exit_tasks_rcu_finish(void);

/* @t sleeps, or is in user mode. */
#define rcu_tasks_qs(t)							\
do {									\
	if (unlikely(READ_ONCE((t)->rcu_tasks_holdout)))		\
		WRITE_ONCE((t)->rcu_tasks_holdout, false);		\
} while (0)

#endif
