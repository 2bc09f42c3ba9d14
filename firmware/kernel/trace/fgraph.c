/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The return stacks of function_graph: the host pushes and pops their entries
 * while the task runs; this is what the guest itself does with them.
 */
#include <linux/ftrace.h>
#include <linux/sched.h>
#include <asm/stacktrace.h>

void ftrace_graph_init_task(struct task_struct *t)
{
	t->curr_ret_stack = -1;
	t->trace_overrun = 0;
	t->ftrace_timestamp = 0;
}

unsigned long ftrace_graph_ret_addr(const struct task_struct *task,
				    const struct unwind_state *state)
{
	if (state->pc != RETURN_TO_HANDLER_PC)
		return state->pc;
	for (int i = 0; i < FTRACE_RETFUNC_DEPTH; i++)
		if (task->ret_stack[i].fp == state->id)
			return task->ret_stack[i].ret;
	return state->pc;
}
