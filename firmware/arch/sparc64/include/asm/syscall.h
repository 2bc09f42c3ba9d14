/* SPDX-License-Identifier: GPL-2.0-only */
/* What a system call is, in the registers of the program that makes it. */
#ifndef _ASM_SYSCALL_H
#define _ASM_SYSCALL_H

#include <asm/ptrace.h>
#include <asm/unistd.h>

#define SYSCALL_INSN_SIZE	4

struct task_struct;

/* -1: it is none, or rt_sigreturn has put other registers in place. */
static inline int syscall_get_nr(struct task_struct *task,
				 struct pt_regs *regs)
{
	if (pt_regs_is_syscall(regs))
		return regs->u_regs[UREG_G1];
	return regs->magic & PT_REGS_EXECVE ? __NR_execve : -1;
}

static inline void syscall_get_arguments(struct task_struct *task,
					 struct pt_regs *regs,
					 unsigned long *args)
{
	int i;

	for (i = 0; i < 6; i++)
		args[i] = regs->u_regs[UREG_I0 + i];
}

/* 0 if the call has succeeded. Errors are negative; the program sees the carry. */
static inline long syscall_get_error(struct task_struct *task,
				     struct pt_regs *regs)
{
	return regs->tstate & TSTATE_XCC_C ? -regs->u_regs[UREG_I0] : 0;
}

static inline long syscall_get_return_value(struct task_struct *task,
					    struct pt_regs *regs)
{
	long error = syscall_get_error(task, regs);

	return error ? error : regs->u_regs[UREG_I0];
}

/* Replaces the error. */
static inline void syscall_set_error(struct pt_regs *regs, int error)
{
	regs->u_regs[UREG_I0] = -error;
}

/* Makes the program repeat the call, or make call @nr instead. */
static inline void syscall_restart(struct pt_regs *regs, int nr)
{
	regs->u_regs[UREG_G1] = nr;
	regs->u_regs[UREG_I0] = regs->u_regs[UREG_G0];
	regs->tstate &= ~(TSTATE_ICC_C | TSTATE_XCC_C);
	regs->tpc -= SYSCALL_INSN_SIZE;
	regs->tnpc -= SYSCALL_INSN_SIZE;
	pt_regs_clear_syscall(regs);
}

#endif
