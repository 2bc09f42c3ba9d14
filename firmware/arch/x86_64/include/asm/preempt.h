/* SPDX-License-Identifier: GPL-2.0-only */
/* preempt_count lives in pcpu_hot, with the need-resched bit folded in. */
#ifndef _ASM_PREEMPT_H
#define _ASM_PREEMPT_H

#include <asm/pcpu_hot.h>

#define PREEMPT_ENABLED		(0 + PREEMPT_NEED_RESCHED)

#define __PREEMPT_COUNT		offsetof(struct pcpu_hot, preempt_count)

static __always_inline u32 preempt_count(void)
{
	return pcpu_hot_read(preempt_count) & ~PREEMPT_NEED_RESCHED;
}

static __always_inline void __preempt_count_add(int val)
{
	asm volatile("addl %0, %%gs:%c1"
		     : : "ri" (val), "i" (__PREEMPT_COUNT) : "memory", "cc");
}

static __always_inline void __preempt_count_sub(int val)
{
	asm volatile("subl %0, %%gs:%c1"
		     : : "ri" (val), "i" (__PREEMPT_COUNT) : "memory", "cc");
}

static __always_inline void set_preempt_need_resched(void)
{
	asm volatile("andl %0, %%gs:%c1"
		     : : "i" (~PREEMPT_NEED_RESCHED), "i" (__PREEMPT_COUNT)
		     : "memory", "cc");
}

static __always_inline void clear_preempt_need_resched(void)
{
	asm volatile("orl %0, %%gs:%c1"
		     : : "i" (PREEMPT_NEED_RESCHED), "i" (__PREEMPT_COUNT)
		     : "memory", "cc");
}

/* A reschedule is pending, and nothing but @offset forbids it. */
static __always_inline bool should_resched(int offset)
{
	return pcpu_hot_read(preempt_count) == (u32)offset;
}

#endif
