/* SPDX-License-Identifier: GPL-2.0-only */
/* What a system call is, in the registers of the program that makes it. */
#ifndef _ASM_SYSCALL_H
#define _ASM_SYSCALL_H

#include <asm/ptrace.h>
#include <asm/unistd.h>

#define SYSCALL_INSN_SIZE	2

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

/* 0 if the call has succeeded. */
static inline long syscall_get_error(struct task_struct *task,
				     struct pt_regs *regs)
{
	return (long)regs->ax < 0 ? regs->ax : 0;
}

static inline void syscall_set_error(struct pt_regs *regs, int error)
{
	regs->ax = error;
}

/* Makes the program repeat the call, or make call @nr instead. */
static inline void syscall_restart(struct pt_regs *regs, int nr)
{
	regs->ax = nr;
	regs->ip -= SYSCALL_INSN_SIZE;
}

#endif
