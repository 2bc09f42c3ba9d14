/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames: saved windows, each with the call that led to its function. */
#ifndef _ASM_STACKTRACE_H
#define _ASM_STACKTRACE_H

#include <asm/linkage.h>

#define FRAME_SIZE	sizeof(struct reg_window)
#define RETURN_OFFSET	8

#include <asm-generic/stacktrace.h>

/* Of who called __switch_to_asm(). */
static inline unsigned long unwind_first_frame(struct task_struct *task)
{
	return task->thread.ksp + STACK_BIAS;
}

static inline void unwind_next_frame(struct unwind_state *state)
{
	struct reg_window *window = (struct reg_window *)state->frame;

	state->id = READ_ONCE(window->ins[6]);
	state->pc = READ_ONCE(window->ins[7]);
	state->frame = state->id + STACK_BIAS;
}

#endif
