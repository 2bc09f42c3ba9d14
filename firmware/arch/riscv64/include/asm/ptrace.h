/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers of interrupted code, as entry code saves them. */
#ifndef _ASM_PTRACE_H
#define _ASM_PTRACE_H

#include <linux/types.h>
#include <asm/csr.h>

struct pt_regs {
	unsigned long epc;
	unsigned long ra;
	unsigned long sp;
	unsigned long gp;
	unsigned long tp;
	unsigned long t0;
	unsigned long t1;
	unsigned long t2;
	unsigned long s0;
	unsigned long s1;
	unsigned long a0;
	unsigned long a1;
	unsigned long a2;
	unsigned long a3;
	unsigned long a4;
	unsigned long a5;
	unsigned long a6;
	unsigned long a7;
	unsigned long s2;
	unsigned long s3;
	unsigned long s4;
	unsigned long s5;
	unsigned long s6;
	unsigned long s7;
	unsigned long s8;
	unsigned long s9;
	unsigned long s10;
	unsigned long s11;
	unsigned long t3;
	unsigned long t4;
	unsigned long t5;
	unsigned long t6;
	unsigned long status;
	unsigned long badaddr;
	unsigned long cause;
	unsigned long orig_a0;
};

#define user_stack_pointer(regs)	((regs)->sp)
#define user_mode(regs)			(!((regs)->status & SR_SPP))
#define instruction_pointer(regs)	((regs)->epc)
#define regs_return_value(regs)		((regs)->a0)
#define instruction_pointer_set(regs, val)	((regs)->epc = (val))
/* The same; what comes after that instruction stays. */
#define instruction_pointer_divert(regs, val)	instruction_pointer_set(regs, val)
/* How far behind a breakpoint it then is. */
#define BREAKPOINT_ADVANCE			0
#define regs_irqs_disabled(regs)	(!((regs)->status & SR_SPIE))
#define regs_of_nmi(regs)		((regs)->cause == (1UL << 63 | 63))

/* The n-th argument, of six, at a function's first instruction. */
static inline unsigned long regs_get_kernel_argument(const struct pt_regs *regs,
						     unsigned int n)
{
	return n < 6 ? (&regs->a0)[n] : 0;
}

#endif
