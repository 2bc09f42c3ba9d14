/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that a signal interrupted; rt_sigaction's own arguments. */
#include <linux/errno.h>
#include <linux/signal.h>
#include <linux/syscalls.h>
#include <asm/ptrace.h>

#define SYSCALL_INSN_SIZE	4

/* The signal did nothing, so the program must not notice: it calls again. */
void restart_syscall_if_interrupted(struct pt_regs *regs)
{
	if (pt_regs_trap_type(regs) != TRAP_SYSCALL ||
	    !(regs->tstate & TSTATE_XCC_C) ||
	    regs->u_regs[UREG_I0] != ERESTARTSYS)
		return;
	regs->u_regs[UREG_I0] = regs->u_regs[UREG_G0];
	regs->tstate &= ~(TSTATE_ICC_C | TSTATE_XCC_C);
	regs->tpc -= SYSCALL_INSN_SIZE;
	regs->tnpc -= SYSCALL_INSN_SIZE;
}

long sys_rt_sigaction(unsigned long sig, unsigned long act, unsigned long oact,
		      unsigned long sigsetsize);

/* Here the restorer is an argument, before the size. */
SYSCALL_DEFINE5(sparc_rt_sigaction, int, sig, unsigned long, act,
		unsigned long, oact, unsigned long, restorer,
		size_t, sigsetsize)
{
	return sys_rt_sigaction(sig, act, oact, sigsetsize);
}
