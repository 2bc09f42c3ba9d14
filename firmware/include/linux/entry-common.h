/* SPDX-License-Identifier: GPL-2.0-only */
/* To system calls; the way back from them, exceptions and interrupts. */
#ifndef _LINUX_ENTRY_COMMON_H
#define _LINUX_ENTRY_COMMON_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <asm/unistd.h>

struct pt_regs;

typedef long (*sys_call_ptr_t)(unsigned long, unsigned long, unsigned long,
			       unsigned long, unsigned long, unsigned long);
/* The last is that of numbers beyond. */
extern const sys_call_ptr_t sys_call_table[NR_syscalls + 1];

/*
 * Every number has one; sys_ni_syscall() is that of those not in use. Inline:
 * what a program called is outermost in a graph.
 */
static inline sys_call_ptr_t syscall_function(unsigned int nr)
{
	return sys_call_table[min_t(unsigned int, nr, NR_syscalls)];
}

void syscall_enter_from_user_mode(struct pt_regs *regs);
long syscall_trace_enter(struct pt_regs *regs, long syscall);
void syscall_exit_to_user_mode(struct pt_regs *regs);

/* With interrupts off, after every exception and every interrupt. */
void irqentry_enter(struct pt_regs *regs);
/* With interrupts off, before every return from an exception. */
void irqentry_exit(struct pt_regs *regs);

#endif
