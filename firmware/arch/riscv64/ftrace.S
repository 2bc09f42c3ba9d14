/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What traced code calls, from its first instruction, by `jalr t0, LABEL - .(gp)`:
 * gp points to the beginning of this section. t0 leads back to the function, ra
 * to its caller. The host acts when a block starts at one of these labels.
 */
#include <asm/linkage.h>

	.section .ftrace.text, "ax"

.macro SITE_LABEL name
SYM_FUNC_START(\name)
	jr	t0
SYM_FUNC_END(\name)
.endm

.macro LABEL name
SYM_FUNC_START(\name)
	ret
SYM_FUNC_END(\name)
.endm

SITE_LABEL _mcount
SITE_LABEL ftrace_caller
/* The host puts return_to_handler into ra. */
SITE_LABEL ftrace_graph_caller

/* Where traced functions return to; the host puts the real address into ra. */
SYM_FUNC_START(return_to_handler)
	jal	t0, ftrace_return_to_handler
	ret
SYM_FUNC_END(return_to_handler)

SITE_LABEL ftrace_return_to_handler

/* The host puts the real return address into ra. */
LABEL arch_rethook_trampoline
/* rethook_find_ret_addr(task, frame) */
LABEL rethook_find_ret_addr
/* rethook_hook(ret, frame): 1 if the host has a node for the call */
LABEL rethook_hook

SYM_FUNC_START(kretprobe_trap)
	ebreak
SYM_FUNC_END(kretprobe_trap)

LABEL tracing_mark_write
LABEL ftrace_sched_switch
LABEL ftrace_sched_process_fork
LABEL ftrace_sched_process_free
LABEL trace_event_buffer_commit

/* (regs, 0): the host answers 1 if a probe is there */
SYM_FUNC_START(kprobe_trap)
	mv	a0, a1
	ret
SYM_FUNC_END(kprobe_trap)

LABEL uprobe_dispatch
LABEL uretprobe_dispatch
LABEL latency_irqs_off
LABEL latency_irqs_on
LABEL latency_preempt_off
LABEL latency_preempt_on
LABEL latency_stop
LABEL latency_start
