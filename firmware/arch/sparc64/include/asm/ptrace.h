/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers of interrupted code, as entry code saves them. */
#ifndef _ASM_PTRACE_H
#define _ASM_PTRACE_H

#include <asm/pstate.h>

/* Indices of u_regs: the globals, then the outs. */
#define UREG_G0		0	/* a system call's first argument */
#define UREG_G1		1
#define UREG_G7		7
#define UREG_I0		8
#define UREG_I1		9
#define UREG_I2		10
#define UREG_FP		14
#define UREG_I7		15

/* In pt_regs.magic above the trap's type. */
#define PT_REGS_MAGIC	0x57ac6c00
#define PT_REGS_EXECVE	0x200		/* there: of the program it has begun */

#define TRAP_NMI	0x4f
#define TRAP_SYSCALL	0x16d

#ifndef __ASSEMBLY__

#include <linux/types.h>

struct pt_regs {
	unsigned long u_regs[16];
	unsigned long tstate;
	unsigned long tpc;
	unsigned long tnpc;
	unsigned int y;
	unsigned int magic;
};

/* What a window holds of its own, as it lies on the stack. */
struct reg_window {
	unsigned long locals[8];
	unsigned long ins[8];
};

/* Without the bias. */
#define user_stack_pointer(regs)	((regs)->u_regs[UREG_FP] + 2047)
#define user_mode(regs)			(!((regs)->tstate & TSTATE_PRIV))
#define instruction_pointer(regs)	((regs)->tpc)
#define regs_return_value(regs)		((regs)->u_regs[UREG_I0])
#define instruction_pointer_set(regs, val) \
	((regs)->tpc = (val), (regs)->tnpc = (regs)->tpc + 4)
/* The same; what comes after that instruction stays. */
#define instruction_pointer_divert(regs, val)	((regs)->tpc = (val))
/* How far behind a breakpoint it then is. */
#define BREAKPOINT_ADVANCE		0
#define regs_irqs_disabled(regs)	(!((regs)->tstate & TSTATE_IE))
#define pt_regs_is_syscall(regs)	(pt_regs_trap_type(regs) == TRAP_SYSCALL)
#define pt_regs_clear_syscall(regs)	((regs)->magic = PT_REGS_MAGIC)
#define pt_regs_trap_type(regs)		((regs)->magic & 0x1ff)
#define regs_of_nmi(regs)		(pt_regs_trap_type(regs) == TRAP_NMI)

/* The n-th argument, of six, at a function's first instruction. */
static inline unsigned long regs_get_kernel_argument(const struct pt_regs *regs,
						     unsigned int n)
{
	return n < 6 ? regs->u_regs[UREG_I0 + n] : 0;
}

#endif
#endif
