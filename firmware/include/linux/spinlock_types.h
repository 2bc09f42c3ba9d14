/* SPDX-License-Identifier: GPL-2.0-only */
/* What a spinlock is made of. */
#ifndef _LINUX_SPINLOCK_TYPES_H
#define _LINUX_SPINLOCK_TYPES_H

#include <linux/types.h>

/*
 * The clocks of two CPUs differ by up to a quantum. A lock remembers on which
 * CPU and at what time it was let go; the next owner must not be earlier.
 */
struct lock_release {
	u32 cpu;
	u64 time;
};

typedef struct raw_spinlock {
	u32 locked;
	struct lock_release release;
} raw_spinlock_t;

typedef raw_spinlock_t spinlock_t;

#define __SPIN_LOCK_UNLOCKED	{ .locked = 0 }
#define DEFINE_SPINLOCK(x)	spinlock_t x = __SPIN_LOCK_UNLOCKED
#define DEFINE_RAW_SPINLOCK(x)	DEFINE_SPINLOCK(x)

#endif
