/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames: saved windows, each with the call that led to its function. */
#ifndef _ASM_STACKTRACE_H
#define _ASM_STACKTRACE_H

#include <linux/ftrace.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <asm/linkage.h>

#define FRAME_SIZE	sizeof(struct reg_window)

/* In place of calls that function_graph has replaced. */
#define RETURN_TO_HANDLER_PC	((unsigned long)return_to_handler - 8)
/* In place of those that a return probe has replaced. */
#define RETHOOK_TRAMPOLINE_PC	((unsigned long)arch_rethook_trampoline - 8)

struct unwind_state {
	unsigned long frame;	/* the next one's address */
	unsigned long pc;	/* found in the last one ... */
	unsigned long id;	/* ... whose caller has this frame pointer */
};

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
