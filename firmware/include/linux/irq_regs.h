/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers that the interrupt being served interrupted. */
#ifndef _LINUX_IRQ_REGS_H
#define _LINUX_IRQ_REGS_H

#include <linux/percpu.h>
#include <asm/ptrace.h>

DECLARE_PER_CPU(struct pt_regs *, __irq_regs);

static inline struct pt_regs *get_irq_regs(void)
{
	return this_cpu_read(__irq_regs);
}

static inline struct pt_regs *set_irq_regs(struct pt_regs *regs)
{
	struct pt_regs *old = this_cpu_read(__irq_regs);

	this_cpu_write(__irq_regs, regs);
	return old;
}

#endif
