/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What traced code calls. The host acts when a block starts at one of the
 * labels that do nothing but return; the stubs around them are the CPU's.
 */
#include <linux/linkage.h>

	.section .ftrace.text, "ax"

.macro LABEL name
SYM_FUNC_START(\name)
	retl
	 nop
SYM_FUNC_END(\name)
.endm

LABEL _mcount
LABEL ftrace_caller

/*
 * Called by a traced function from its own window: %o7 is the call site, %i7
 * that of the function's caller. What prepare_ftrace_return(parent, site,
 * frame) gives back is where the function shall return to, so it becomes %i7
 * less the 8 that returning adds.
 */
SYM_FUNC_START(ftrace_graph_caller)
	mov	%i7, %g2
	mov	%fp, %g3
	save	%sp, -STACKFRAME_SZ, %sp
	mov	%g2, %o0
	mov	%i7, %o1
	call	prepare_ftrace_return
	 mov	%g3, %o2
	ret
	 restore %o0, -8, %i7
SYM_FUNC_END(ftrace_graph_caller)

/* (parent, site, frame): the parent's return address, or return_to_handler. */
LABEL prepare_ftrace_return

/*
 * Where traced functions return to, in their caller's window; the function's
 * results wait in its outs. The host also uses the last two instructions, to
 * have a function that has just begun go on elsewhere.
 */
SYM_FUNC_START(return_to_handler)
	save	%sp, -STACKFRAME_SZ, %sp
	call	ftrace_return_to_handler
	 mov	%fp, %o0
	jmpl	%o0 + 8, %g0
	 restore
SYM_FUNC_END(return_to_handler)

/* (frame): the call site that the function was called from. */
LABEL ftrace_return_to_handler

/*
 * Where calls that return probes watch return to, in their caller's window: the
 * host puts the call site that the function was called from into %o7.
 */
LABEL arch_rethook_trampoline

/* rethook_find_ret_addr(task, frame) */
LABEL rethook_find_ret_addr

/* rethook_hook(ret, frame): 1 if the host has a node for the call */
LABEL rethook_hook

/*
 * Such a call has returned to the trampoline: the host has it go on here, with
 * the address of the call in %g1.
 */
SYM_FUNC_START(kretprobe_trap)
	ta	0x70
SYM_FUNC_END(kretprobe_trap)

/* Markers that the host writes carry this address. */
LABEL tracing_mark_write

/* ftrace_sched_switch(prev, next) */
LABEL ftrace_sched_switch

/* ftrace_sched_process_fork(parent, child): the child does not run yet */
LABEL ftrace_sched_process_fork

/* ftrace_sched_process_free(task) */
LABEL ftrace_sched_process_free

/* trace_event_buffer_commit(call, entry, dynamic, count): records an event */
LABEL trace_event_buffer_commit

/*
 * (regs, 0): the host answers 1 if a probe is there, which it has dealt with;
 * regs then say where to go on.
 */
SYM_FUNC_START(kprobe_trap)
	retl
	 mov	%o1, %o0
SYM_FUNC_END(kprobe_trap)

/* uprobe_dispatch(id, regs): the program's task is about to execute the place */
LABEL uprobe_dispatch

/* uretprobe_dispatch(id, regs, func): the program's function has returned */
LABEL uretprobe_dispatch

/*
 * Latency tracers: (ip, parent_ip), 0 if the parent is not known. Interrupts
 * have just been turned off, are about to be turned on; so has been preemption.
 */
LABEL latency_irqs_off
LABEL latency_irqs_on
LABEL latency_preempt_off
LABEL latency_preempt_on

/* The CPU is about to idle, (ip, parent_ip); it does so no more. */
LABEL latency_stop
LABEL latency_start
