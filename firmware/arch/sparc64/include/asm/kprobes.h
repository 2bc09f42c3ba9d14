/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: ta 0x70. The CPU executes the host's copy of an instruction
 * with the next program counter as it was; behind each copy stands another trap,
 * for those who want to come to that one instead.
 */
#ifndef _ASM_KPROBES_H
#define _ASM_KPROBES_H

#include <linux/rethook.h>
#include <linux/types.h>
#include <asm/ptrace.h>

typedef u32 kprobe_opcode_t;

/* Whether each copy ends with a trap, or only one that is stepped over. */
#define KPROBE_COPY_TRAPS	false

struct kprobe_ctlblk {
	unsigned long running;	/* the trap whose probes are; 0: none */
	bool stepping;		/* their instruction is being executed */
	unsigned int reentered;	/* so many copies end before theirs does */
	unsigned long tnpc;	/* where it leads */
};

static __always_inline void arch_kprobe_step(struct pt_regs *regs,
					     struct kprobe_ctlblk *kcb)
{
	kcb->tnpc = regs->tnpc;
	regs->tnpc = regs->tpc + 4;
}

/* If the instruction was a jump, the next program counter is its target. */
static __always_inline bool arch_kprobe_leave_copy(struct pt_regs *regs,
						   struct kprobe_ctlblk *kcb)
{
	if (regs->tnpc == regs->tpc + 4)
		regs->tnpc = kcb->tnpc + 4;
	regs->tpc = kcb->tnpc;
	return true;
}

/*
 * At a function's first instruction: has the call return to the host's
 * trampoline. False: the host has no room.
 */
static __always_inline bool arch_kretprobe_hook(struct pt_regs *regs,
						unsigned long *ret_addr,
						unsigned long *fp)
{
	unsigned long call = regs->u_regs[UREG_I7];

	*ret_addr = call + 8;
	*fp = regs->u_regs[UREG_FP];
	if (!rethook_hook(call, *fp))
		return false;
	regs->u_regs[UREG_I7] = (unsigned long)arch_rethook_trampoline - 8;
	return true;
}

/* At kretprobe_trap, as if the call had returned; what identifies it. */
static __always_inline unsigned long
arch_kretprobe_returned(struct pt_regs *regs)
{
	unsigned long call = regs->u_regs[UREG_G1];

	regs->u_regs[UREG_I7] = call;
	regs->tpc = call + 8;
	regs->tnpc = call + 12;
	return regs->u_regs[UREG_FP];
}

#endif
