/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames: the caller's frame pointer, and where to return to. */
#ifndef _ASM_STACKTRACE_H
#define _ASM_STACKTRACE_H

#define FRAME_SIZE	(2 * sizeof(long))
#define RETURN_OFFSET	0

#include <asm-generic/stacktrace.h>

/* __switch_to_asm() has pushed %rbp first. */
static inline unsigned long unwind_first_frame(struct task_struct *task)
{
	return task->thread.sp + 5 * sizeof(long);
}

static inline void unwind_next_frame(struct unwind_state *state)
{
	unsigned long *frame = (unsigned long *)state->frame;

	state->id = (unsigned long)&frame[1];
	state->pc = READ_ONCE(frame[1]);
	state->frame = READ_ONCE(frame[0]);
}

#endif
