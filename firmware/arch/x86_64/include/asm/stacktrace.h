/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames: the caller's frame pointer, and where to return to. */
#ifndef _ASM_STACKTRACE_H
#define _ASM_STACKTRACE_H

#include <linux/ftrace.h>
#include <linux/rethook.h>
#include <linux/sched.h>

#define FRAME_SIZE	(2 * sizeof(long))

/* In place of return addresses that function_graph has replaced. */
#define RETURN_TO_HANDLER_PC	((unsigned long)return_to_handler)
/* In place of those that a return probe has replaced. */
#define RETHOOK_TRAMPOLINE_PC	((unsigned long)arch_rethook_trampoline)

struct unwind_state {
	unsigned long frame;	/* the next one's address */
	unsigned long pc;	/* found in the last one ... */
	unsigned long id;	/* ... at this place */
};

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
