/* SPDX-License-Identifier: GPL-2.0-only */
/* Where nobody has said yet how frames are followed: stacks have none. */
#ifndef _ASM_STACKTRACE_H
#define _ASM_STACKTRACE_H

#define FRAME_SIZE	(2 * sizeof(long))
#define RETURN_OFFSET	0

#include <asm-generic/stacktrace.h>

static inline unsigned long unwind_first_frame(struct task_struct *task)
{
	unsigned long frame = 0;

	asm("" : "+r" (frame));		/* gcc is not to draw conclusions */
	return frame;
}

static inline void unwind_next_frame(struct unwind_state *state)
{
	state->id = state->pc = state->frame = 0;
}

#endif
