/* SPDX-License-Identifier: GPL-2.0-only */
/* Where functions in assembly begin and end; stack frames. */
#ifndef _ASM_LINKAGE_H
#define _ASM_LINKAGE_H

#define __ALIGN			.balign 4
#define ASM_RET			retl; nop

/* %sp and %fp are this much less than the addresses they stand for. */
#define STACK_BIAS		2047

/* Room for a window, a return value's address and six arguments. */
#define STACKFRAME_SZ		192

/* The same, and pt_regs above it: entry code's first on a stack. */
#define TRAP_FRAME_SZ	(STACKFRAME_SZ + SIZEOF_pt_regs)

/* A window's part of it: eight locals, eight ins. */
#define REG_WINDOW_SZ		128

#endif
