/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spinlocks. Every lock is taken by an atomic exchange; a CPU that waits gives
 * its turn to the others with cpu_relax().
 */
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <emu/hostcall.h>
#include <trace/events/lock.h>
#include <asm/processor.h>

void notrace note_release(struct lock_release *release)
{
	release->cpu = raw_smp_processor_id();
	release->time = get_cycles();
}

void notrace stall_until_release(const struct lock_release *release)
{
	if (released_later(release))
		hostcall1(HC_STALL_UNTIL, release->time);
}

/* Where the time that a lock takes is another one's: its caller's. */
#define __lockfunc	__section(".spinlock.text")

static __always_inline bool take(raw_spinlock_t *lock)
{
	return !READ_ONCE(lock->locked) && !xchg(&lock->locked, 1);
}

static __always_inline bool do_raw_spin_trylock(raw_spinlock_t *lock)
{
	if (!take(lock))
		return false;
	stall_until_release(&lock->release);
	return true;
}

/* @taken: it is ours, but by our clock another CPU still holds it. */
static void queued_spin_lock_slowpath(raw_spinlock_t *lock, bool taken)
{
	trace_contention_begin(lock, LCB_F_SPIN);
	while (!taken) {
		cpu_relax();
		taken = take(lock);
	}
	stall_until_release(&lock->release);
	trace_contention_end(lock, 0);
}

static __always_inline void do_raw_spin_lock(raw_spinlock_t *lock)
{
	bool taken = take(lock);

	if (unlikely(!taken || released_later(&lock->release)))
		queued_spin_lock_slowpath(lock, taken);
}

static __always_inline void do_raw_spin_unlock(raw_spinlock_t *lock)
{
	note_release(&lock->release);
	smp_store_release(&lock->locked, 0);
}

void __lockfunc _raw_spin_lock(raw_spinlock_t *lock)
{
	preempt_disable();
	do_raw_spin_lock(lock);
}

void __lockfunc _raw_spin_lock_bh(raw_spinlock_t *lock)
{
	__local_bh_disable_ip(_THIS_IP_, SOFTIRQ_LOCK_OFFSET);
	do_raw_spin_lock(lock);
}

void __lockfunc _raw_spin_lock_irq(raw_spinlock_t *lock)
{
	local_irq_disable();
	preempt_disable();
	do_raw_spin_lock(lock);
}

unsigned long __lockfunc _raw_spin_lock_irqsave(raw_spinlock_t *lock)
{
	unsigned long flags;

	local_irq_save(flags);
	preempt_disable();
	do_raw_spin_lock(lock);
	return flags;
}

int __lockfunc _raw_spin_trylock(raw_spinlock_t *lock)
{
	preempt_disable();
	if (do_raw_spin_trylock(lock))
		return 1;
	preempt_enable();
	return 0;
}

void __lockfunc _raw_spin_unlock(raw_spinlock_t *lock)
{
	do_raw_spin_unlock(lock);
	preempt_enable();
}

void __lockfunc _raw_spin_unlock_bh(raw_spinlock_t *lock)
{
	do_raw_spin_unlock(lock);
	__local_bh_enable_ip(_THIS_IP_, SOFTIRQ_LOCK_OFFSET);
}

void __lockfunc _raw_spin_unlock_irq(raw_spinlock_t *lock)
{
	do_raw_spin_unlock(lock);
	local_irq_enable();
	preempt_enable();
}

void __lockfunc _raw_spin_unlock_irqrestore(raw_spinlock_t *lock,
					    unsigned long flags)
{
	do_raw_spin_unlock(lock);
	local_irq_restore(flags);
	preempt_enable();
}
