/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This architecture's functions that traced code calls. The host acts when a
 * block starts at one of these labels; the CPU executes the instructions.
 * kernel/trace/labels.S has the other labels.
 */
#include <linux/linkage.h>

	.section .ftrace.text, "ax"

SYM_FUNC_RETURN(__fentry__)

SYM_FUNC_RETURN(ftrace_graph_caller)

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
SYM_FUNC_RETURN(ftrace_return_to_handler)

/*
 * Where calls that return probes watch return to. The host takes back the slot
 * that the return address came from, and stores there the one it had replaced.
 */
SYM_FUNC_RETURN(arch_rethook_trampoline)

/*
 * Such a call has returned to the trampoline: the host has it go on here, with
 * the real return address on the stack.
 */
SYM_FUNC_START(kretprobe_trap)
	int3
SYM_FUNC_END(kretprobe_trap)

/* kprobe_int3_handler(regs, 0): 1 if the breakpoint was a kprobe's */
SYM_FUNC_START(kprobe_int3_handler)
	mov	%esi, %eax
	ret
SYM_FUNC_END(kprobe_int3_handler)
