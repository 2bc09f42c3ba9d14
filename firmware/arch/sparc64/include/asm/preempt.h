/* SPDX-License-Identifier: GPL-2.0-only */
/* preempt_count lives in pcpu_hot; that a reschedule is due is not in it. */
#ifndef _ASM_PREEMPT_H
#define _ASM_PREEMPT_H

#include <asm-generic/preempt.h>
#include <asm/pcpu_hot.h>

static __always_inline u32 preempt_count(void)
{
	return pcpu_hot_read(preempt_count);
}

/*
 * One instruction finds this CPU's count and changes it, so that neither an
 * interrupt nor a move to another CPU can come in between: the count is the
 * first member, %g6 its address. Returns false if it was not @old any more.
 */
static __always_inline bool preempt_count_cas(u32 old, u32 new)
{
	u32 seen = new;

	asm volatile("cas [%%g6], %1, %0"
		     : "+r" (seen) : "r" (old) : "memory");
	return seen == old;
}

static __always_inline void __preempt_count_add(int val)
{
	u32 old;

	do {
		old = pcpu_hot_read(preempt_count);
	} while (!preempt_count_cas(old, old + val));
}

static __always_inline void __preempt_count_sub(int val)
{
	__preempt_count_add(-val);
}

#endif
