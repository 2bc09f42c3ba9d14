/* SPDX-License-Identifier: GPL-2.0-only */
/* What a system call is, in the registers of the program that makes it. */
#ifndef _ASM_SYSCALL_H
#define _ASM_SYSCALL_H

#include <asm/ptrace.h>

struct task_struct;

/* -1: it is none, or rt_sigreturn has put other registers in place. */
static inline int syscall_get_nr(struct task_struct *task,
				 struct pt_regs *regs)
{
	return regs->cause == EXC_SYSCALL ? (int)regs->a7 : -1;
}

static inline void syscall_get_arguments(struct task_struct *task,
					 struct pt_regs *regs,
					 unsigned long *args)
{
	int i;

	args[0] = regs->orig_a0;
	for (i = 1; i < 6; i++)
		args[i] = (&regs->a0)[i];
}

/* Errors are negative. */
static inline long syscall_get_return_value(struct task_struct *task,
					    struct pt_regs *regs)
{
	return regs->a0;
}

#endif
