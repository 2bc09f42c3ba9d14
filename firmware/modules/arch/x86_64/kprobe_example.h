/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers that kprobe_example prints. */
#define PRE_FORMAT		"ip = %lx, flags = 0x%lx"
#define PRE_REGISTERS(regs)	(regs)->ip, (regs)->flags
#define POST_FORMAT		"flags = 0x%lx"
#define POST_REGISTERS(regs)	(regs)->flags
