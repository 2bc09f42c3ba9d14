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
	return regs->orig_ax;
}

static inline void syscall_get_arguments(struct task_struct *task,
					 struct pt_regs *regs,
					 unsigned long *args)
{
	args[0] = regs->di;
	args[1] = regs->si;
	args[2] = regs->dx;
	args[3] = regs->r10;
	args[4] = regs->r8;
	args[5] = regs->r9;
}

/* Errors are negative. */
static inline long syscall_get_return_value(struct task_struct *task,
					    struct pt_regs *regs)
{
	return regs->ax;
}

#endif
