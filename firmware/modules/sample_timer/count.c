/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting, in functions of its own: something to trace. */
#include <linux/spinlock.h>
#include "sample_timer.h"

static spinlock_t lock = __SPIN_LOCK_UNLOCKED;
static unsigned long beats;

static __noclone unsigned long sample_add(unsigned long n)
{
	return beats += n;
}

unsigned long sample_count(void)
{
	unsigned long n, flags;

	spin_lock_irqsave(&lock, flags);
	n = sample_add(1);
	spin_unlock_irqrestore(&lock, flags);
	return n;
}
