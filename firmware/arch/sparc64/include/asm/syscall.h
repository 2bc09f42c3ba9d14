/* SPDX-License-Identifier: GPL-2.0-only */
/* What a system call is, in the registers of the program that makes it. */
#ifndef _ASM_SYSCALL_H
#define _ASM_SYSCALL_H

#include <asm/ptrace.h>
#include <asm/unistd.h>

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

/* Errors are negative here; the program sees the carry instead. */
static inline long syscall_get_return_value(struct task_struct *task,
					    struct pt_regs *regs)
{
	long value = regs->u_regs[UREG_I0];

	return regs->tstate & (TSTATE_ICC_C | TSTATE_XCC_C) ? -value : value;
}

#endif
