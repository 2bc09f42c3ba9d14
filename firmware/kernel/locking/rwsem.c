/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reader-writer semaphores: first come, first served, so that writers do not
 * starve. The count and the queue change under wait_lock.
 */
#include <linux/kernel.h>
#include <linux/rwsem.h>
#include <linux/sched.h>

struct rwsem_waiter {
	struct list_head list;
	struct task_struct *task;	/* NULL once the lock is granted */
	bool writer;
};

void __init_rwsem(struct rw_semaphore *sem)
{
	*sem = (struct rw_semaphore)__RWSEM_INITIALIZER(*sem);
}

static inline bool rwsem_try_grant(struct rw_semaphore *sem, bool writer)
{
	if (writer) {
		if (sem->count)
			return false;
		sem->count = -1;
	} else {
		if (sem->count < 0)
			return false;
		sem->count++;
	}
	return true;
}

/* Hands the lock to the first waiters that can have it together. */
static void rwsem_mark_wake(struct rw_semaphore *sem)
{
	struct rwsem_waiter *waiter;
	struct task_struct *task;

	do {
		waiter = list_first_entry(&sem->wait_list, struct rwsem_waiter,
					  list);
		if (!rwsem_try_grant(sem, waiter->writer))
			break;
		list_del(&waiter->list);
		task = waiter->task;
		get_task_struct(task);
		/* From here on the waiter's frame may be gone. */
		smp_store_release(&waiter->task, NULL);
		wake_up_process(task);
		put_task_struct(task);
	} while (!list_empty(&sem->wait_list));
}

static inline void rwsem_wake(struct rw_semaphore *sem)
{
	if (!list_empty(&sem->wait_list))
		rwsem_mark_wake(sem);
}

/* Called and left with the queue's lock held. */
static __always_inline void rwsem_wait(struct rw_semaphore *sem, bool writer)
{
	struct rwsem_waiter waiter = { .task = current, .writer = writer };

	preempt_disable();
	list_add_tail(&waiter.list, &sem->wait_list);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (!smp_load_acquire(&waiter.task))
			break;
		spin_unlock(&sem->wait_lock);
		schedule_preempt_disabled();
		spin_lock(&sem->wait_lock);
	}
	__set_current_state(TASK_RUNNING);
	preempt_enable();
}

static void __sched rwsem_down_read_slowpath(struct rw_semaphore *sem)
{
	rwsem_wait(sem, false);
}

static void __sched rwsem_down_write_slowpath(struct rw_semaphore *sem)
{
	rwsem_wait(sem, true);
}

static inline bool rwsem_trylock(struct rw_semaphore *sem, bool writer)
{
	return list_empty(&sem->wait_list) && rwsem_try_grant(sem, writer);
}

void __sched down_read(struct rw_semaphore *sem)
{
	might_sleep();
	spin_lock(&sem->wait_lock);
	if (!rwsem_trylock(sem, false))
		rwsem_down_read_slowpath(sem);
	spin_unlock(&sem->wait_lock);
}

void __sched down_write(struct rw_semaphore *sem)
{
	might_sleep();
	spin_lock(&sem->wait_lock);
	if (!rwsem_trylock(sem, true))
		rwsem_down_write_slowpath(sem);
	spin_unlock(&sem->wait_lock);
}

int down_read_trylock(struct rw_semaphore *sem)
{
	int got;

	spin_lock(&sem->wait_lock);
	got = rwsem_trylock(sem, false);
	spin_unlock(&sem->wait_lock);
	return got;
}

void up_read(struct rw_semaphore *sem)
{
	spin_lock(&sem->wait_lock);
	sem->count--;
	rwsem_wake(sem);
	spin_unlock(&sem->wait_lock);
}

void up_write(struct rw_semaphore *sem)
{
	spin_lock(&sem->wait_lock);
	sem->count = 0;
	rwsem_wake(sem);
	spin_unlock(&sem->wait_lock);
}
