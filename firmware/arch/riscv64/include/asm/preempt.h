/* SPDX-License-Identifier: GPL-2.0-only */
/* preempt_count, with the need-resched bit folded in. */
#ifndef _ASM_PREEMPT_H
#define _ASM_PREEMPT_H

#include <asm/pcpu_hot.h>

#define PREEMPT_ENABLED		(0 + PREEMPT_NEED_RESCHED)

static __always_inline u32 preempt_count(void)
{
	return pcpu_hot_read(preempt_count) & ~PREEMPT_NEED_RESCHED;
}

/* One instruction finds this CPU's count and changes it. */
static __always_inline void __preempt_count_add(int val)
{
	asm volatile("amoadd.w zero, %0, (tp)" : : "r" (val) : "memory");
}

static __always_inline void __preempt_count_sub(int val)
{
	__preempt_count_add(-val);
}

static __always_inline void set_preempt_need_resched(void)
{
	asm volatile("amoand.w zero, %0, (tp)"
		     : : "r" ((int)~PREEMPT_NEED_RESCHED) : "memory");
}

static __always_inline void clear_preempt_need_resched(void)
{
	asm volatile("amoor.w zero, %0, (tp)"
		     : : "r" ((int)PREEMPT_NEED_RESCHED) : "memory");
}

/* A reschedule is pending, and nothing but @offset forbids it. */
static __always_inline bool should_resched(int offset)
{
	return pcpu_hot_read(preempt_count) == (u32)offset;
}

#endif
