/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What traced code calls. The host acts when a block starts at one of these
 * labels; the instructions are all that is left for the CPU to do.
 */
#include <linux/linkage.h>

	.section .ftrace.text, "ax"

SYM_FUNC_START(__fentry__)
	ret
SYM_FUNC_END(__fentry__)

SYM_FUNC_START(ftrace_caller)
	ret
SYM_FUNC_END(ftrace_caller)

SYM_FUNC_START(ftrace_graph_caller)
	ret
SYM_FUNC_END(ftrace_graph_caller)

/*
 * Where traced functions return to. The call pushes into the slot that the
 * return address came from, and pairs the return below with a call: a CPU that
 * predicts returns by counting calls still knows those of the callers.
 */
SYM_FUNC_START(return_to_handler)
	call	ftrace_return_to_handler
	int3
SYM_FUNC_END(return_to_handler)

/* The host has stored the original return address in the slot. */
SYM_FUNC_START(ftrace_return_to_handler)
	ret
SYM_FUNC_END(ftrace_return_to_handler)

/*
 * Where calls that return probes watch return to. The host takes back the slot
 * that the return address came from, and stores there the one it had replaced.
 */
SYM_FUNC_START(arch_rethook_trampoline)
	ret
SYM_FUNC_END(arch_rethook_trampoline)

/* rethook_find_ret_addr(task, frame) */
SYM_FUNC_START(rethook_find_ret_addr)
	ret
SYM_FUNC_END(rethook_find_ret_addr)

/* rethook_hook(ret, frame): 1 if the host has a node for the call */
SYM_FUNC_START(rethook_hook)
	ret
SYM_FUNC_END(rethook_hook)

/*
 * Such a call has returned to the trampoline: the host has it go on here, with
 * the real return address on the stack.
 */
SYM_FUNC_START(kretprobe_trap)
	int3
SYM_FUNC_END(kretprobe_trap)

/* Markers that the host writes carry this address. */
SYM_FUNC_START(tracing_mark_write)
	ret
SYM_FUNC_END(tracing_mark_write)

/* ftrace_sched_switch(prev, next) */
SYM_FUNC_START(ftrace_sched_switch)
	ret
SYM_FUNC_END(ftrace_sched_switch)

/* ftrace_sched_process_fork(parent, child): the child does not run yet */
SYM_FUNC_START(ftrace_sched_process_fork)
	ret
SYM_FUNC_END(ftrace_sched_process_fork)

/* ftrace_sched_process_free(task) */
SYM_FUNC_START(ftrace_sched_process_free)
	ret
SYM_FUNC_END(ftrace_sched_process_free)

/* trace_event_buffer_commit(call, entry, dynamic, count): records an event */
SYM_FUNC_START(trace_event_buffer_commit)
	ret
SYM_FUNC_END(trace_event_buffer_commit)

/* uprobe_dispatch(id, regs): the program's task is about to execute the place */
SYM_FUNC_START(uprobe_dispatch)
	ret
SYM_FUNC_END(uprobe_dispatch)

/* uretprobe_dispatch(id, regs, func): the program's function has returned */
SYM_FUNC_START(uretprobe_dispatch)
	ret
SYM_FUNC_END(uretprobe_dispatch)

/* kprobe_int3_handler(regs, 0): 1 if the breakpoint was a kprobe's */
SYM_FUNC_START(kprobe_int3_handler)
	mov	%esi, %eax
	ret
SYM_FUNC_END(kprobe_int3_handler)

/*
 * Latency tracers: (ip, parent_ip), 0 if the parent is not known. Interrupts
 * have just been turned off, are about to be turned on; so has been preemption.
 */
SYM_FUNC_START(latency_irqs_off)
	ret
SYM_FUNC_END(latency_irqs_off)

SYM_FUNC_START(latency_irqs_on)
	ret
SYM_FUNC_END(latency_irqs_on)

SYM_FUNC_START(latency_preempt_off)
	ret
SYM_FUNC_END(latency_preempt_off)

SYM_FUNC_START(latency_preempt_on)
	ret
SYM_FUNC_END(latency_preempt_on)

/* The CPU is about to idle, (ip, parent_ip); it does so no more. */
SYM_FUNC_START(latency_stop)
	ret
SYM_FUNC_END(latency_stop)

SYM_FUNC_START(latency_start)
	ret
SYM_FUNC_END(latency_start)
