/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: c.ebreak. Behind each of the host's copies of an instruction
 * stands another one, and at KPROBE_COPY_BEHIND of the copy's place where the
 * CPU goes on then; that is odd if the copy is for probes of modules.
 */
#ifndef _ASM_KPROBES_H
#define _ASM_KPROBES_H

#include <linux/rethook.h>
#include <linux/types.h>
#include <asm/ptrace.h>

typedef u16 kprobe_opcode_t;

/* Whether each copy ends with a trap, or only one that is stepped over. */
#define KPROBE_COPY_TRAPS	true

#define KPROBE_COPY_SIZE	32UL
#define KPROBE_COPY_BEHIND	8

struct kprobe_ctlblk {
	unsigned long running;	/* the trap whose probes are; 0: none */
	bool stepping;		/* their instruction is being executed */
	unsigned int reentered;	/* so many copies end before theirs does */
};

static __always_inline void arch_kprobe_step(struct pt_regs *regs,
					     struct kprobe_ctlblk *kcb)
{
}

static __always_inline bool arch_kprobe_leave_copy(struct pt_regs *regs,
						   struct kprobe_ctlblk *kcb)
{
	unsigned long behind = *(unsigned long *)
		((regs->epc & ~(KPROBE_COPY_SIZE - 1)) + KPROBE_COPY_BEHIND);

	regs->epc = behind & ~1UL;
	return behind & 1;
}

/*
 * At a function's first instruction: has the call return to the host's
 * trampoline. False: the host has no room.
 */
static __always_inline bool arch_kretprobe_hook(struct pt_regs *regs,
						unsigned long *ret_addr,
						unsigned long *fp)
{
	*ret_addr = regs->ra;
	*fp = regs->s0;
	if (!rethook_hook(*ret_addr, *fp))
		return false;
	regs->ra = (unsigned long)arch_rethook_trampoline;
	return true;
}

/*
 * At kretprobe_trap, as if the call had returned; what identifies it. The host
 * has put the return address into t0.
 */
static __always_inline unsigned long
arch_kretprobe_returned(struct pt_regs *regs)
{
	regs->ra = regs->t0;
	regs->epc = regs->t0;
	return regs->s0;
}

#endif
