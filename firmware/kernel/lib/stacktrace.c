/* SPDX-License-Identifier: GPL-2.0-only */
/* Following the stack of a task that waits. */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <asm/sections.h>
#include <asm/stacktrace.h>

/* It may be started any moment: the frames must only be within the stack. */
static bool on_stack(unsigned long stack, unsigned long frame)
{
	return frame >= stack && frame <= stack + THREAD_SIZE - FRAME_SIZE &&
	       !(frame % sizeof(long));
}

static bool in_sched_functions(unsigned long addr)
{
	return addr >= (unsigned long)__sched_text_start &&
	       addr < (unsigned long)__sched_text_end;
}

/* What function_graph and a return probe have replaced, in either order. */
static unsigned long unwind_recover_ret_addr(const struct task_struct *task,
					     struct unwind_state *state)
{
	unsigned long addr;

	state->pc = ftrace_graph_ret_addr(task, state);
	if (state->pc == RETHOOK_TRAMPOLINE_PC) {
		addr = rethook_find_ret_addr(task, state->id);
		if (addr)
			state->pc = addr;
		state->pc = ftrace_graph_ret_addr(task, state);
	}
	return state->pc;
}

unsigned int stack_trace_save_tsk(struct task_struct *task,
				  unsigned long *store, unsigned int size)
{
	unsigned long stack = (unsigned long)READ_ONCE(task->stack), last = 0;
	struct unwind_state state;
	unsigned long addr;
	unsigned int n = 0;

	if (!stack || READ_ONCE(task->on_cpu))
		return 0;
	state.frame = unwind_first_frame(task);
	while (n < size && state.frame > last && on_stack(stack, state.frame)) {
		last = state.frame;
		unwind_next_frame(&state);
		if (state.pc < (unsigned long)_text)
			break;
		addr = unwind_recover_ret_addr(task, &state);
		if (!in_sched_functions(addr))
			store[n++] = addr;
	}
	return n;
}

/* The function that waits, 0 if it does not. */
unsigned long get_wchan(struct task_struct *task)
{
	unsigned long addr;

	if (READ_ONCE(task->__state) == TASK_RUNNING ||
	    !stack_trace_save_tsk(task, &addr, 1))
		return 0;
	return addr;
}
