/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reader-writer semaphores. One that is free, or has readers and nobody waits,
 * is taken by changing the count. Others queue: first come, first served, so
 * that writers do not starve.
 */
#include <linux/kernel.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/wake_q.h>
#include <emu/hostcall.h>
#include <trace/events/lock.h>
#include <asm/processor.h>

/* The count: flags, and above them the number of readers. */
#define RWSEM_WRITER_LOCKED	0x1UL
#define RWSEM_FLAG_WAITERS	0x2UL	/* the queue is not empty */
#define RWSEM_READER_BIAS	0x4UL

#define RWSEM_LOCK_MASK		~RWSEM_FLAG_WAITERS

struct rwsem_waiter {
	struct list_head list;
	struct task_struct *task;	/* NULL once a reader has it */
	bool writer;
};

void __init_rwsem(struct rw_semaphore *sem)
{
	*sem = (struct rw_semaphore)__RWSEM_INITIALIZER(*sem);
}

/* Of several readers the one whose clock is ahead may be the first to go. */
static __always_inline void rwsem_note_release(u64 *released)
{
	u64 now = get_cycles(), last = READ_ONCE(*released), seen;

	while (last < now) {
		seen = cmpxchg(released, last, now);
		if (seen == last)
			break;
		last = seen;
	}
}

static __always_inline void rwsem_stall_until(u64 released)
{
	if (released > get_cycles())
		hostcall1(HC_STALL_UNTIL, released);
}

/* Readers need not be later than other readers. */
static __always_inline void rwsem_got_read(struct rw_semaphore *sem)
{
	rwsem_stall_until(READ_ONCE(sem->write_released));
}

static __always_inline void rwsem_got_write(struct rw_semaphore *sem)
{
	rwsem_stall_until(READ_ONCE(sem->write_released));
	rwsem_stall_until(READ_ONCE(sem->read_released));
}

/* False, and nothing has changed, if any bit of @unless is set. */
static __always_inline bool rwsem_try_change(struct rw_semaphore *sem,
					     unsigned long unless,
					     unsigned long add,
					     unsigned long clear)
{
	unsigned long count = READ_ONCE(sem->count), seen;

	while (!(count & unless)) {
		seen = cmpxchg(&sem->count, count, (count & ~clear) + add);
		if (seen == count)
			return true;
		count = seen;
	}
	return false;
}

static __always_inline bool rwsem_read_trylock(struct rw_semaphore *sem)
{
	if (!rwsem_try_change(sem, RWSEM_WRITER_LOCKED | RWSEM_FLAG_WAITERS,
			      RWSEM_READER_BIAS, 0))
		return false;
	rwsem_got_read(sem);
	return true;
}

static __always_inline bool rwsem_write_trylock(struct rw_semaphore *sem)
{
	if (!rwsem_try_change(sem, ~0UL, RWSEM_WRITER_LOCKED, 0))
		return false;
	rwsem_got_write(sem);
	return true;
}

static inline struct rwsem_waiter *rwsem_first_waiter(struct rw_semaphore *sem)
{
	return list_first_entry_or_null(&sem->wait_list, struct rwsem_waiter,
					list);
}

/* The last of the queue takes the flag with it. With the queue locked. */
static inline unsigned long rwsem_first_flags(struct rw_semaphore *sem)
{
	return sem->wait_list.next == sem->wait_list.prev ?
	       RWSEM_FLAG_WAITERS : 0;
}

/*
 * With the queue locked: readers that are first are given the lock together, a
 * writer that is first is to take it. Nobody else can meanwhile.
 */
static void rwsem_mark_wake(struct rw_semaphore *sem,
			    struct wake_q_head *wake_q)
{
	struct rwsem_waiter *waiter;
	struct task_struct *task;

	while ((waiter = rwsem_first_waiter(sem)) && !waiter->writer) {
		if (!rwsem_try_change(sem, RWSEM_WRITER_LOCKED,
				      RWSEM_READER_BIAS,
				      rwsem_first_flags(sem)))
			return;
		list_del(&waiter->list);
		task = waiter->task;
		get_task_struct(task);
		/* From here on the waiter's frame may be gone. */
		smp_store_release(&waiter->task, NULL);
		wake_q_add_safe(wake_q, task);
	}
	if (waiter && !(READ_ONCE(sem->count) & RWSEM_LOCK_MASK))
		wake_q_add(wake_q, waiter->task);
}

/* With preemption off; takes the queue's lock. */
static void rwsem_wake(struct rw_semaphore *sem)
{
	DEFINE_WAKE_Q(wake_q);

	spin_lock(&sem->wait_lock);
	rwsem_mark_wake(sem, &wake_q);
	spin_unlock(&sem->wait_lock);
	wake_up_q(&wake_q);
}

/* The lock may have become free before there was a queue to look at. */
static inline void rwsem_add_waiter(struct rw_semaphore *sem,
				    struct rwsem_waiter *waiter)
{
	list_add_tail(&waiter->list, &sem->wait_list);
	rwsem_try_change(sem, RWSEM_FLAG_WAITERS, RWSEM_FLAG_WAITERS, 0);
}

/*
 * Sleeps until a reader's share is ours. Called with preemption off once, and
 * interrupts on; returns so.
 */
static void __sched rwsem_down_read_slowpath(struct rw_semaphore *sem)
{
	struct rwsem_waiter waiter = { .task = current };
	DEFINE_WAKE_Q(wake_q);

	spin_lock(&sem->wait_lock);
	rwsem_add_waiter(sem, &waiter);
	rwsem_mark_wake(sem, &wake_q);
	spin_unlock(&sem->wait_lock);
	wake_up_q(&wake_q);
	trace_contention_begin(sem, LCB_F_READ);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (!smp_load_acquire(&waiter.task))
			break;
		schedule_preempt_disabled();
	}
	__set_current_state(TASK_RUNNING);
	rwsem_got_read(sem);
	trace_contention_end(sem, 0);
}

/* From the queue, which is locked; only the first can be lucky. */
static bool rwsem_try_write_lock(struct rw_semaphore *sem,
				 struct rwsem_waiter *waiter)
{
	if (rwsem_first_waiter(sem) != waiter)
		return false;
	if (!rwsem_try_change(sem, RWSEM_LOCK_MASK, RWSEM_WRITER_LOCKED,
			      rwsem_first_flags(sem)))
		return false;
	list_del(&waiter->list);
	return true;
}

/*
 * Sleeps until it is ours alone. Called with preemption off once, and
 * interrupts on; returns so.
 */
static void __sched rwsem_down_write_slowpath(struct rw_semaphore *sem)
{
	struct rwsem_waiter waiter = { .task = current, .writer = true };

	spin_lock(&sem->wait_lock);
	rwsem_add_waiter(sem, &waiter);
	trace_contention_begin(sem, LCB_F_WRITE);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (rwsem_try_write_lock(sem, &waiter))
			break;
		spin_unlock(&sem->wait_lock);
		schedule_preempt_disabled();
		spin_lock(&sem->wait_lock);
	}
	__set_current_state(TASK_RUNNING);
	spin_unlock(&sem->wait_lock);
	rwsem_got_write(sem);
	trace_contention_end(sem, 0);
}

void __sched down_read(struct rw_semaphore *sem)
{
	might_sleep();
	preempt_disable();
	if (!rwsem_read_trylock(sem))
		rwsem_down_read_slowpath(sem);
	preempt_enable();
}

void __sched down_write(struct rw_semaphore *sem)
{
	might_sleep();
	preempt_disable();
	if (!rwsem_write_trylock(sem))
		rwsem_down_write_slowpath(sem);
	preempt_enable();
}

int down_read_trylock(struct rw_semaphore *sem)
{
	int got;

	preempt_disable();
	got = rwsem_read_trylock(sem);
	preempt_enable();
	return got;
}

/* The last reader lets those in who have waited for that. */
void up_read(struct rw_semaphore *sem)
{
	unsigned long count;

	preempt_disable();
	rwsem_note_release(&sem->read_released);
	count = xadd(&sem->count, -RWSEM_READER_BIAS) - RWSEM_READER_BIAS;
	if (!(count & RWSEM_LOCK_MASK) && count & RWSEM_FLAG_WAITERS)
		rwsem_wake(sem);
	preempt_enable();
}

void up_write(struct rw_semaphore *sem)
{
	unsigned long count;

	preempt_disable();
	rwsem_note_release(&sem->write_released);
	count = xadd(&sem->count, -RWSEM_WRITER_LOCKED);
	if (count & RWSEM_FLAG_WAITERS)
		rwsem_wake(sem);
	preempt_enable();
}
