/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reader-writer spinlocks. Whoever comes must not be earlier than those who
 * went, be they many: all change the count under one lock, for a moment.
 */
#include <linux/interrupt.h>
#include <linux/rwlock.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/processor.h>

/* The state's own lock, with interrupts off, for a moment. */
static __always_inline unsigned long lock_state(rwlock_t *lock)
{
	unsigned long flags;

	local_irq_save(flags);
	while (READ_ONCE(lock->wait_lock.locked) ||
	       xchg(&lock->wait_lock.locked, 1))
		cpu_relax();
	stall_until_release(&lock->wait_lock.release);
	return flags;
}

static __always_inline void unlock_state(rwlock_t *lock, unsigned long flags)
{
	note_release(&lock->wait_lock.release);
	smp_store_release(&lock->wait_lock.locked, 0);
	local_irq_restore(flags);
}

/* @n: 1 for a reader, -1 for a writer. */
static __always_inline bool do_trylock(rwlock_t *lock, int n)
{
	unsigned long flags = lock_state(lock);
	bool got = n > 0 ? lock->count >= 0 : !lock->count;

	if (got)
		lock->count += n;
	unlock_state(lock, flags);
	return got;
}

static __always_inline void do_lock(rwlock_t *lock, int n)
{
	while (!do_trylock(lock, n))
		cpu_relax();
}

static __always_inline void do_unlock(rwlock_t *lock, int n)
{
	unsigned long flags = lock_state(lock);

	lock->count -= n;
	unlock_state(lock, flags);
}

#define BUILD_RWLOCK(op, n)						\
void _raw_##op##_lock(rwlock_t *lock)					\
{									\
	preempt_disable();						\
	do_lock(lock, n);						\
}									\
void _raw_##op##_lock_bh(rwlock_t *lock)				\
{									\
	__local_bh_disable_ip(_THIS_IP_, SOFTIRQ_LOCK_OFFSET);		\
	do_lock(lock, n);						\
}									\
void _raw_##op##_lock_irq(rwlock_t *lock)				\
{									\
	local_irq_disable();						\
	preempt_disable();						\
	do_lock(lock, n);						\
}									\
unsigned long _raw_##op##_lock_irqsave(rwlock_t *lock)			\
{									\
	unsigned long flags;						\
									\
	local_irq_save(flags);						\
	preempt_disable();						\
	do_lock(lock, n);						\
	return flags;							\
}									\
int _raw_##op##_trylock(rwlock_t *lock)					\
{									\
	preempt_disable();						\
	if (do_trylock(lock, n))					\
		return 1;						\
	preempt_enable();						\
	return 0;							\
}									\
void _raw_##op##_unlock(rwlock_t *lock)					\
{									\
	do_unlock(lock, n);						\
	preempt_enable();						\
}									\
void _raw_##op##_unlock_bh(rwlock_t *lock)				\
{									\
	do_unlock(lock, n);						\
	__local_bh_enable_ip(_THIS_IP_, SOFTIRQ_LOCK_OFFSET);		\
}									\
void _raw_##op##_unlock_irq(rwlock_t *lock)				\
{									\
	do_unlock(lock, n);						\
	local_irq_enable();						\
	preempt_enable();						\
}									\
void _raw_##op##_unlock_irqrestore(rwlock_t *lock, unsigned long flags)	\
{									\
	do_unlock(lock, n);						\
	local_irq_restore(flags);					\
	preempt_enable();						\
}

BUILD_RWLOCK(read, 1)
BUILD_RWLOCK(write, -1)
