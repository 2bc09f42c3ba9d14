/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls: from registers to arguments, and the result back. */
#include <linux/entry-common.h>
#include <linux/irqflags.h>
#include <linux/syscalls.h>
#include <asm/proto.h>

long sys_clone(unsigned long flags, unsigned long newsp,
	       unsigned long parent_tid, unsigned long child_tid,
	       unsigned long tls);

/* Here the thread pointer comes before the child's number. */
SYSCALL_DEFINE5(sparc_clone, unsigned long, flags, unsigned long, newsp,
		unsigned long, parent_tid, unsigned long, tls,
		unsigned long, child_tid)
{
	return sys_clone(flags, newsp, parent_tid, child_tid, tls);
}

/* Results from here up are errors, to be given as positive numbers. */
#define MAX_ERRNO	4095

/* The carry says whether %o0 is an error. */
static inline void set_result(struct pt_regs *regs, long result)
{
	if ((unsigned long)result >= -MAX_ERRNO) {
		regs->tstate |= TSTATE_ICC_C | TSTATE_XCC_C;
		regs->u_regs[UREG_I0] = -result;
	} else {
		regs->tstate &= ~(TSTATE_ICC_C | TSTATE_XCC_C);
		regs->u_regs[UREG_I0] = result;
	}
}

/*
 * Called and left with interrupts off. The program goes on after the trap
 * instruction; execve and fork rely on it. The way out of the trap does what is
 * left to do before that.
 */
noinstr void do_syscall(struct pt_regs *regs)
{
	const unsigned long *args = &regs->u_regs[UREG_I0];
	long result;

	regs->tpc = regs->tnpc;
	regs->tnpc += 4;
	regs->u_regs[UREG_G0] = regs->u_regs[UREG_I0];
	local_irq_enable();
	result = syscall_function(regs->u_regs[UREG_G1])(
		args[0], args[1], args[2], args[3], args[4], args[5]);
	/* execve and rt_sigreturn have put other registers in place. */
	if (pt_regs_is_syscall(regs))
		set_result(regs, result);
	local_irq_disable();
}
