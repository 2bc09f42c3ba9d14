/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This architecture's functions that traced code calls. A site is a function's
 * first instruction, `jalr t0, LABEL - .ftrace.text(gp)`: gp is the start of
 * this section, t0 leads back to the function, and ra to its caller. The host
 * acts when a block starts at one of the labels that only return.
 * kernel/trace/labels.S has the other labels.
 */
#include <linux/linkage.h>

	.section .ftrace.text, "ax"

/* What gcc would have sites call, if it compiled calls. */
SYM_FUNC_START(_mcount)
	ASM_RET_TO_SITE
SYM_FUNC_END(_mcount)

/* The host puts return_to_handler into ra. */
SYM_FUNC_START(ftrace_graph_caller)
	ASM_RET_TO_SITE
SYM_FUNC_END(ftrace_graph_caller)

/* Where traced functions return to; the host puts the real address into ra. */
SYM_FUNC_START(return_to_handler)
	jal	t0, ftrace_return_to_handler
	ret
SYM_FUNC_END(return_to_handler)

SYM_FUNC_START(ftrace_return_to_handler)
	ASM_RET_TO_SITE
SYM_FUNC_END(ftrace_return_to_handler)

/*
 * Where calls that return probes watch return to: the host puts the real
 * address into ra.
 */
SYM_FUNC_RETURN(arch_rethook_trampoline)

/* Such a call has returned to the trampoline: the host has it go on here. */
SYM_FUNC_START(kretprobe_trap)
	c.ebreak
SYM_FUNC_END(kretprobe_trap)

/*
 * (regs, 0): the host answers 1 if a probe is there, which it has dealt with;
 * regs then say where to go on.
 */
SYM_FUNC_START(kprobe_trap)
	mv	a0, a1
	ret
SYM_FUNC_END(kprobe_trap)
