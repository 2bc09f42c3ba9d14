/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic counters. */
#ifndef _LINUX_ATOMIC_H
#define _LINUX_ATOMIC_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm/cmpxchg.h>
#include <asm/barrier.h>

#define ATOMIC_INIT(i)	{ (i) }

#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, i)	WRITE_ONCE((v)->counter, (i))
#define atomic_add_return(i, v)	(xadd(&(v)->counter, (i)) + (i))
#define atomic_sub_return(i, v)	atomic_add_return(-(i), v)
#define atomic_add(i, v)	((void)atomic_add_return(i, v))
#define atomic_sub(i, v)	((void)atomic_sub_return(i, v))
#define atomic_inc(v)		atomic_add(1, v)
#define atomic_dec(v)		atomic_sub(1, v)
#define atomic_dec_return(v)	atomic_sub_return(1, v)
#define atomic_dec_and_test(v)	(atomic_dec_return(v) == 0)
#define atomic_cmpxchg(v, o, n)	cmpxchg(&(v)->counter, o, n)

#define atomic_long_add_return(i, v)	(xadd(&(v)->counter, (long)(i)) + (i))

/* Adds one unless the count is zero; true if it did. */
static inline bool atomic_inc_not_zero(atomic_t *v)
{
	int old = atomic_read(v);

	while (old) {
		int seen = atomic_cmpxchg(v, old, old + 1);

		if (seen == old)
			return true;
		old = seen;
	}
	return false;
}

/* Takes one away unless that leaves less than zero, which is returned then. */
static inline int atomic_dec_if_positive(atomic_t *v)
{
	int old = atomic_read(v);

	while (old > 0) {
		int seen = atomic_cmpxchg(v, old, old - 1);

		if (seen == old)
			break;
		old = seen;
	}
	return old - 1;
}

#endif
