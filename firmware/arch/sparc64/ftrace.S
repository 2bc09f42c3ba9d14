/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This architecture's functions that traced code calls. The host acts when a
 * block starts at one of the labels that only return; the CPU executes the
 * stubs around them. kernel/trace/labels.S has the other labels.
 */
#include <linux/linkage.h>

	.section .ftrace.text, "ax"

SYM_FUNC_RETURN(_mcount)

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
SYM_FUNC_RETURN(prepare_ftrace_return)

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
SYM_FUNC_RETURN(ftrace_return_to_handler)

/*
 * Where calls that return probes watch return to, in their caller's window: the
 * host puts the call site that the function was called from into %o7.
 */
SYM_FUNC_RETURN(arch_rethook_trampoline)

/*
 * Such a call has returned to the trampoline: the host has it go on here, with
 * the address of the call in %g1.
 */
SYM_FUNC_START(kretprobe_trap)
	ta	0x70
SYM_FUNC_END(kretprobe_trap)

/*
 * (regs, 0): the host answers 1 if a probe is there, which it has dealt with;
 * regs then say where to go on.
 */
SYM_FUNC_START(kprobe_trap)
	retl
	 mov	%o1, %o0
SYM_FUNC_END(kprobe_trap)
