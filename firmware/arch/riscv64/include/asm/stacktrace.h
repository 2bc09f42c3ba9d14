/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames: the caller's frame pointer, and where to return to. */
#ifndef _ASM_STACKTRACE_H
#define _ASM_STACKTRACE_H

#include <linux/ftrace.h>
#include <linux/rethook.h>
#include <linux/sched.h>

#define FRAME_SIZE	(2 * sizeof(long))

#define RETURN_TO_HANDLER_PC	((unsigned long)return_to_handler)
#define RETHOOK_TRAMPOLINE_PC	((unsigned long)arch_rethook_trampoline)

struct unwind_state {
	unsigned long frame;	/* the next one's address: below a frame pointer */
	unsigned long pc;	/* found in the last one ... */
	unsigned long id;	/* ... whose function was called with this sp */
};

static inline unsigned long unwind_first_frame(struct task_struct *task)
{
	return task->thread.s[0] - FRAME_SIZE;
}

static inline void unwind_next_frame(struct unwind_state *state)
{
	unsigned long *frame = (unsigned long *)state->frame;

	state->id = state->frame + FRAME_SIZE;
	state->pc = READ_ONCE(frame[1]);
	state->frame = READ_ONCE(frame[0]) - FRAME_SIZE;
}

#endif
