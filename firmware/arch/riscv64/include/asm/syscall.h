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

/* 0 if the call has succeeded. */
static inline long syscall_get_error(struct task_struct *task,
				     struct pt_regs *regs)
{
	return (long)regs->a0 < 0 ? regs->a0 : 0;
}

static inline void syscall_set_error(struct pt_regs *regs, int error)
{
	regs->a0 = error;
}

/* Makes the program repeat the call, or make call @nr instead. */
static inline void syscall_restart(struct pt_regs *regs, int nr)
{
	regs->a0 = regs->orig_a0;
	regs->a7 = nr;
	regs->epc -= SYSCALL_INSN_SIZE;
}

#endif
