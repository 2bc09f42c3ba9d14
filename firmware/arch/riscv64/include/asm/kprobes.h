/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel probes: c.ebreak. To do: nothing is probed yet. */
#ifndef _ASM_KPROBES_H
#define _ASM_KPROBES_H

#include <linux/rethook.h>
#include <linux/types.h>
#include <asm/ptrace.h>

typedef u16 kprobe_opcode_t;

#define KPROBE_COPY_TRAPS	false

struct kprobe_ctlblk {
	unsigned long running;
	bool stepping;
	unsigned int reentered;
	unsigned long next;
};

static __always_inline void arch_kprobe_step(struct pt_regs *regs,
					     struct kprobe_ctlblk *kcb)
{
}

static __always_inline void arch_kprobe_leave_copy(struct pt_regs *regs,
						   struct kprobe_ctlblk *kcb)
{
}

static __always_inline bool arch_kretprobe_hook(struct pt_regs *regs,
						unsigned long *ret_addr,
						unsigned long *fp)
{
	*ret_addr = regs->ra;
	*fp = regs->sp;
	if (!rethook_hook(regs->ra, regs->sp))
		return false;
	regs->ra = (unsigned long)arch_rethook_trampoline;
	return true;
}

static __always_inline unsigned long
arch_kretprobe_returned(struct pt_regs *regs)
{
	regs->epc = regs->ra;
	return regs->sp;
}

#endif
