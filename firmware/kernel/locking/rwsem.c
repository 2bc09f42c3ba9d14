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

	while (!list_empty(&sem->wait_list)) {
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
	}
}

static void __sched rwsem_down_slowpath(struct rw_semaphore *sem, bool writer)
{
	struct rwsem_waiter waiter = { .task = current, .writer = writer };

	list_add_tail(&waiter.list, &sem->wait_list);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (!smp_load_acquire(&waiter.task))
			break;
		spin_unlock(&sem->wait_lock);
		schedule();
		spin_lock(&sem->wait_lock);
	}
	__set_current_state(TASK_RUNNING);
}

static __always_inline void __down(struct rw_semaphore *sem, bool writer)
{
	spin_lock(&sem->wait_lock);
	if (!list_empty(&sem->wait_list) || !rwsem_try_grant(sem, writer))
		rwsem_down_slowpath(sem, writer);
	spin_unlock(&sem->wait_lock);
}

void __sched down_read(struct rw_semaphore *sem)
{
	might_sleep();
	__down(sem, false);
}

void __sched down_write(struct rw_semaphore *sem)
{
	might_sleep();
	__down(sem, true);
}

int down_read_trylock(struct rw_semaphore *sem)
{
	int got;

	spin_lock(&sem->wait_lock);
	got = list_empty(&sem->wait_list) && rwsem_try_grant(sem, false);
	spin_unlock(&sem->wait_lock);
	return got;
}

int down_write_trylock(struct rw_semaphore *sem)
{
	int got;

	spin_lock(&sem->wait_lock);
	got = list_empty(&sem->wait_list) && rwsem_try_grant(sem, true);
	spin_unlock(&sem->wait_lock);
	return got;
}

/* The writer becomes a reader, and lets others in. */
void downgrade_write(struct rw_semaphore *sem)
{
	spin_lock(&sem->wait_lock);
	sem->count = 1;
	rwsem_mark_wake(sem);
	spin_unlock(&sem->wait_lock);
}

void up_read(struct rw_semaphore *sem)
{
	spin_lock(&sem->wait_lock);
	sem->count--;
	rwsem_mark_wake(sem);
	spin_unlock(&sem->wait_lock);
}

void up_write(struct rw_semaphore *sem)
{
	spin_lock(&sem->wait_lock);
	sem->count = 0;
	rwsem_mark_wake(sem);
	spin_unlock(&sem->wait_lock);
}
