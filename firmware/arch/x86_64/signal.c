/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that a signal interrupted. */
#include <linux/errno.h>
#include <linux/signal.h>
#include <asm/ptrace.h>

#define SYSCALL_INSN_SIZE	2

/* The signal did nothing, so the program must not notice: it calls again. */
void restart_syscall_if_interrupted(struct pt_regs *regs)
{
	if ((long)regs->orig_ax < 0 || (long)regs->ax != -ERESTARTSYS)
		return;
	regs->ax = regs->orig_ax;
	regs->ip -= SYSCALL_INSN_SIZE;
}
