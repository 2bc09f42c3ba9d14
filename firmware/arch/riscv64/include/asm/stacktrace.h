/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames: the caller's frame pointer, by which the call is known, and where to
 * return to.
 */
#ifndef _ASM_STACKTRACE_H
#define _ASM_STACKTRACE_H

#define FRAME_SIZE	(2 * sizeof(long))
#define RETURN_OFFSET	0

#include <asm-generic/stacktrace.h>

/* A frame ends where its function's frame pointer points. */
static inline unsigned long unwind_first_frame(struct task_struct *task)
{
	return task->thread.s[0] - FRAME_SIZE;
}

static inline void unwind_next_frame(struct unwind_state *state)
{
	unsigned long *frame = (unsigned long *)state->frame;

	state->pc = READ_ONCE(frame[1]);
	state->id = READ_ONCE(frame[0]);
	state->frame = state->id - FRAME_SIZE;
}

#endif
