/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls: from registers to arguments. */
#include <linux/entry-common.h>
#include <linux/irqflags.h>
#include <asm/proto.h>

/* Called and left with interrupts off; system calls run with them on. */
noinstr void do_syscall_64(struct pt_regs *regs, int nr)
{
	local_irq_enable();
	regs->ax = invoke_syscall(nr, regs->di, regs->si, regs->dx, regs->r10,
				  regs->r8, regs->r9);
	syscall_exit_to_user_mode(regs);
}
