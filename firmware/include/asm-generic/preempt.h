/* SPDX-License-Identifier: GPL-2.0-only */
/* For a preempt_count without the need-resched bit: the task's flag says it. */
#ifndef _ASM_GENERIC_PREEMPT_H
#define _ASM_GENERIC_PREEMPT_H

#define PREEMPT_ENABLED		0

static __always_inline void set_preempt_need_resched(void)
{
}

static __always_inline void clear_preempt_need_resched(void)
{
}

/* A reschedule is pending, and nothing but @offset forbids it. */
#define should_resched(offset) \
	(preempt_count() == (u32)(offset) && need_resched())

#endif
