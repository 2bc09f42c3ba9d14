/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers of code that has come to a breakpoint. */
#ifndef _LINUX_PTRACE_H
#define _LINUX_PTRACE_H

#include <linux/compiler.h>
#include <asm/ptrace.h>

static __always_inline unsigned long
breakpoint_address(const struct pt_regs *regs)
{
	return instruction_pointer(regs) - BREAKPOINT_ADVANCE;
}

/* What handlers see: as if it stood at @addr. */
static __always_inline void set_breakpoint_address(struct pt_regs *regs,
						   unsigned long addr)
{
	instruction_pointer_divert(regs, addr + BREAKPOINT_ADVANCE);
}

#endif
