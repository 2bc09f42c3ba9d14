/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers that kprobe_example prints. */
#define PRE_FORMAT		"tpc = %lx, tstate = 0x%lx"
#define PRE_REGISTERS(regs)	(regs)->tpc, (regs)->tstate
#define POST_FORMAT		"tstate = 0x%lx"
#define POST_REGISTERS(regs)	(regs)->tstate
