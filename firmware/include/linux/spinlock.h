/* SPDX-License-Identifier: GPL-2.0-only */
/* Spinlocks; the functions are out of line so that they can be traced. */
#ifndef _LINUX_SPINLOCK_H
#define _LINUX_SPINLOCK_H

#include <linux/spinlock_types.h>
#include <linux/preempt.h>
#include <linux/irqflags.h>
#include <linux/atomic.h>
#include <linux/smp.h>
#include <asm/processor.h>

void _raw_spin_lock(raw_spinlock_t *lock);
void _raw_spin_lock_bh(raw_spinlock_t *lock);
void _raw_spin_lock_irq(raw_spinlock_t *lock);
unsigned long _raw_spin_lock_irqsave(raw_spinlock_t *lock);
int _raw_spin_trylock(raw_spinlock_t *lock);
void _raw_spin_unlock(raw_spinlock_t *lock);
void _raw_spin_unlock_bh(raw_spinlock_t *lock);
void _raw_spin_unlock_irq(raw_spinlock_t *lock);
void _raw_spin_unlock_irqrestore(raw_spinlock_t *lock, unsigned long flags);

/* Our clock may be behind the one by which another CPU let go. */
static inline bool released_later(const struct lock_release *release)
{
	return release->cpu != raw_smp_processor_id() &&
	       release->time > get_cycles();
}

/* For all kinds of locks: note the time of a release, wait until it has come. */
void note_release(struct lock_release *release);
void stall_until_release(const struct lock_release *release);

static inline void spin_lock_init(spinlock_t *lock)
{
	*lock = (spinlock_t)__SPIN_LOCK_UNLOCKED;
}

#define spin_lock(l)			_raw_spin_lock(l)
#define spin_lock_bh(l)			_raw_spin_lock_bh(l)
#define spin_lock_irq(l)		_raw_spin_lock_irq(l)
#define spin_lock_irqsave(l, flags)	((flags) = _raw_spin_lock_irqsave(l))
#define spin_trylock(l)			_raw_spin_trylock(l)
#define spin_unlock(l)			_raw_spin_unlock(l)
#define spin_unlock_bh(l)		_raw_spin_unlock_bh(l)
#define spin_unlock_irq(l)		_raw_spin_unlock_irq(l)
#define spin_unlock_irqrestore(l, flags) _raw_spin_unlock_irqrestore(l, flags)

#define raw_spin_lock_init(l)		spin_lock_init(l)
#define raw_spin_lock(l)		_raw_spin_lock(l)
#define raw_spin_lock_irq(l)		_raw_spin_lock_irq(l)
#define raw_spin_lock_irqsave(l, flags)	((flags) = _raw_spin_lock_irqsave(l))
#define raw_spin_trylock(l)		_raw_spin_trylock(l)
#define raw_spin_unlock(l)		_raw_spin_unlock(l)
#define raw_spin_unlock_irq(l)		_raw_spin_unlock_irq(l)
#define raw_spin_unlock_irqrestore(l, flags) \
	_raw_spin_unlock_irqrestore(l, flags)

#endif
