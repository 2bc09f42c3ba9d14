/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that traced code calls and that only return. The host acts when a
 * block starts at one of these labels. arch/ARCH/ftrace.S has the labels inside
 * stubs, which have more instructions.
 */
#include <linux/linkage.h>

	.section .ftrace.text, "ax"

/* Called by sites. */
SYM_FUNC_START(ftrace_caller)
	ASM_RET_TO_SITE
SYM_FUNC_END(ftrace_caller)

/* rethook_find_ret_addr(task, frame) */
SYM_FUNC_RETURN(rethook_find_ret_addr)

/* rethook_hook(ret, frame): 1 if the host has a node for the call */
SYM_FUNC_RETURN(rethook_hook)

/* Markers that the host writes carry this address. */
SYM_FUNC_RETURN(tracing_mark_write)

/* ftrace_sched_switch(prev, next) */
SYM_FUNC_RETURN(ftrace_sched_switch)

/* ftrace_sched_process_fork(parent, child): the child does not run yet */
SYM_FUNC_RETURN(ftrace_sched_process_fork)

/* ftrace_sched_process_free(task) */
SYM_FUNC_RETURN(ftrace_sched_process_free)

/* trace_event_buffer_commit(call, entry, dynamic, count): records an event */
SYM_FUNC_RETURN(trace_event_buffer_commit)

/* uprobe_dispatch(id, regs): the task is about to execute a probed instruction */
SYM_FUNC_RETURN(uprobe_dispatch)

/* uretprobe_dispatch(id, regs, func): the program's function has returned */
SYM_FUNC_RETURN(uretprobe_dispatch)

/*
 * Latency tracers: (ip, parent_ip), 0 if the parent is not known. Interrupts or
 * preemption have just been turned off, or are about to be turned on.
 */
SYM_FUNC_RETURN(latency_irqs_off)
SYM_FUNC_RETURN(latency_irqs_on)
SYM_FUNC_RETURN(latency_preempt_off)
SYM_FUNC_RETURN(latency_preempt_on)

/* The CPU is about to idle, or has stopped idling: (ip, parent_ip) */
SYM_FUNC_RETURN(latency_stop)
SYM_FUNC_RETURN(latency_start)
