/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel cannot be probed yet: the host has no probes either. */
#ifndef _ASM_KPROBES_H
#define _ASM_KPROBES_H

#include <linux/types.h>
#include <asm/ptrace.h>

typedef u32 kprobe_opcode_t;

#define KPROBE_COPY_TRAPS	false

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
	return true;
}

static __always_inline bool arch_kretprobe_hook(struct pt_regs *regs,
						unsigned long *ret_addr,
						unsigned long *fp)
{
	return false;
}

static __always_inline unsigned long
arch_kretprobe_returned(struct pt_regs *regs)
{
	return 0;
}

#endif
