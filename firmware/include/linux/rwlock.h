/* SPDX-License-Identifier: GPL-2.0-only */
/* Spinning locks with many readers or one writer; readers do not wait for
   writers that wait, so that they nest. */
#ifndef _LINUX_RWLOCK_H
#define _LINUX_RWLOCK_H

#include <linux/spinlock.h>

typedef struct {
	int count;			/* readers; -1: one writer */
	raw_spinlock_t wait_lock;	/* around each change of it */
} rwlock_t;

#define __RW_LOCK_UNLOCKED	{ .count = 0 }
#define DEFINE_RWLOCK(x)	rwlock_t x = __RW_LOCK_UNLOCKED
#define rwlock_init(l)		((void)(*(l) = (rwlock_t)__RW_LOCK_UNLOCKED))

void _raw_read_lock(rwlock_t *lock);
void _raw_read_lock_bh(rwlock_t *lock);
void _raw_read_lock_irq(rwlock_t *lock);
unsigned long _raw_read_lock_irqsave(rwlock_t *lock);
int _raw_read_trylock(rwlock_t *lock);
void _raw_read_unlock(rwlock_t *lock);
void _raw_read_unlock_bh(rwlock_t *lock);
void _raw_read_unlock_irq(rwlock_t *lock);
void _raw_read_unlock_irqrestore(rwlock_t *lock, unsigned long flags);

void _raw_write_lock(rwlock_t *lock);
void _raw_write_lock_bh(rwlock_t *lock);
void _raw_write_lock_irq(rwlock_t *lock);
unsigned long _raw_write_lock_irqsave(rwlock_t *lock);
int _raw_write_trylock(rwlock_t *lock);
void _raw_write_unlock(rwlock_t *lock);
void _raw_write_unlock_bh(rwlock_t *lock);
void _raw_write_unlock_irq(rwlock_t *lock);
void _raw_write_unlock_irqrestore(rwlock_t *lock, unsigned long flags);

#define read_lock(l)			_raw_read_lock(l)
#define read_lock_bh(l)			_raw_read_lock_bh(l)
#define read_lock_irq(l)		_raw_read_lock_irq(l)
#define read_lock_irqsave(l, flags)	((flags) = _raw_read_lock_irqsave(l))
#define read_trylock(l)			_raw_read_trylock(l)
#define read_unlock(l)			_raw_read_unlock(l)
#define read_unlock_bh(l)		_raw_read_unlock_bh(l)
#define read_unlock_irq(l)		_raw_read_unlock_irq(l)
#define read_unlock_irqrestore(l, flags) _raw_read_unlock_irqrestore(l, flags)
#define write_lock(l)			_raw_write_lock(l)
#define write_lock_bh(l)		_raw_write_lock_bh(l)
#define write_lock_irq(l)		_raw_write_lock_irq(l)
#define write_lock_irqsave(l, flags)	((flags) = _raw_write_lock_irqsave(l))
#define write_trylock(l)		_raw_write_trylock(l)
#define write_unlock(l)			_raw_write_unlock(l)
#define write_unlock_bh(l)		_raw_write_unlock_bh(l)
#define write_unlock_irq(l)		_raw_write_unlock_irq(l)
#define write_unlock_irqrestore(l, flags) _raw_write_unlock_irqrestore(l, flags)

#endif
