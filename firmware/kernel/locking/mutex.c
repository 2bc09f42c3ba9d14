/* SPDX-License-Identifier: GPL-2.0-only */
/* Mutexes: an atomic exchange when free, a queue of sleepers when not. */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/wake_q.h>

#define CREATE_TRACE_POINTS
#include <trace/events/lock.h>

struct mutex_waiter {
	struct list_head list;
	struct task_struct *task;
};

void __mutex_init(struct mutex *lock)
{
	*lock = (struct mutex)__MUTEX_INITIALIZER(*lock);
}

static __always_inline bool __mutex_trylock(struct mutex *lock)
{
	return !cmpxchg(&lock->owner, NULL, current);
}

/* It is ours, but by our clock its owner on another CPU still runs. */
static void mutex_optimistic_spin(struct mutex *lock)
{
	trace_contention_begin(lock, LCB_F_MUTEX | LCB_F_SPIN);
	stall_until_release(&lock->release);
	trace_contention_end(lock, 0);
}

/* Sleeps until the mutex is ours. With interrupts and preemption on. */
static void __sched __mutex_lock_slowpath(struct mutex *lock)
{
	struct mutex_waiter waiter = { .task = current };

	preempt_disable();
	spin_lock(&lock->wait_lock);
	list_add_tail(&waiter.list, &lock->wait_list);
	trace_contention_begin(lock, LCB_F_MUTEX);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (__mutex_trylock(lock))
			break;
		spin_unlock(&lock->wait_lock);
		schedule_preempt_disabled();
		spin_lock(&lock->wait_lock);
	}
	__set_current_state(TASK_RUNNING);
	list_del(&waiter.list);
	stall_until_release(&lock->release);
	trace_contention_end(lock, 0);
	spin_unlock(&lock->wait_lock);
	preempt_enable();
}

void __sched mutex_lock(struct mutex *lock)
{
	might_sleep();
	if (!__mutex_trylock(lock))
		__mutex_lock_slowpath(lock);
	else if (unlikely(released_later(&lock->release)))
		mutex_optimistic_spin(lock);
}

/* The queue's lock keeps the waiter's stack frame there. */
static void __mutex_unlock_slowpath(struct mutex *lock)
{
	struct mutex_waiter *waiter;
	DEFINE_WAKE_Q(wake_q);

	spin_lock(&lock->wait_lock);
	waiter = list_first_entry_or_null(&lock->wait_list, struct mutex_waiter,
					  list);
	if (waiter)
		wake_q_add(&wake_q, waiter->task);
	spin_unlock(&lock->wait_lock);
	wake_up_q(&wake_q);
}

/*
 * A waiter queues itself, then tries; we let go, then look at the queue. So
 * one of the two sees the other.
 */
void mutex_unlock(struct mutex *lock)
{
	note_release(&lock->release);
	xchg(&lock->owner, NULL);
	if (!list_empty(&lock->wait_list))
		__mutex_unlock_slowpath(lock);
}
