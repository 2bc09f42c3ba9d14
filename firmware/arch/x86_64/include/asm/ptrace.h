/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers of interrupted code, as entry code saves them. */
#ifndef _ASM_PTRACE_H
#define _ASM_PTRACE_H

#include <linux/types.h>
#include <asm/processor-flags.h>

struct pt_regs {
	unsigned long r15;
	unsigned long r14;
	unsigned long r13;
	unsigned long r12;
	unsigned long bp;
	unsigned long bx;
	unsigned long r11;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long ax;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long flags;
	unsigned long sp;
	unsigned long ss;
};

#define user_stack_pointer(regs)	((regs)->sp)
#define user_mode(regs)			((regs)->cs & 3)
#define instruction_pointer(regs)	((regs)->ip)
#define regs_return_value(regs)		((regs)->ax)
#define instruction_pointer_set(regs, val)	((regs)->ip = (val))
/* The same; what comes after that instruction stays. */
#define instruction_pointer_divert(regs, val)	instruction_pointer_set(regs, val)
/* How far behind a breakpoint it then is. */
#define BREAKPOINT_ADVANCE			1
#define regs_irqs_disabled(regs)	(!((regs)->flags & X86_EFLAGS_IF))
/* They come and go by a way of their own. */
#define regs_of_nmi(regs)		false

/* The n-th argument, of six, at a function's first instruction. */
static inline unsigned long regs_get_kernel_argument(const struct pt_regs *regs,
						     unsigned int n)
{
	const unsigned long arguments[] = {
		regs->di, regs->si, regs->dx, regs->cx, regs->r8, regs->r9,
	};

	return n < 6 ? arguments[n] : 0;
}

#endif
