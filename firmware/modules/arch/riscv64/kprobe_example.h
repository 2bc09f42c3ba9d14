/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers that kprobe_example prints. */
#define PRE_FORMAT		"ip = %lx, status = 0x%lx"
#define PRE_REGISTERS(regs)	(regs)->epc, (regs)->status
#define POST_FORMAT		"status = 0x%lx"
#define POST_REGISTERS(regs)	(regs)->status
