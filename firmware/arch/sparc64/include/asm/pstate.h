/* SPDX-License-Identifier: GPL-2.0-only */
/* Bits of PSTATE and TSTATE; values of WSTATE. */
#ifndef _ASM_PSTATE_H
#define _ASM_PSTATE_H

#define PSTATE_AG	0x001	/* alternate globals: most traps */
#define PSTATE_IE	0x002
#define PSTATE_PRIV	0x004
#define PSTATE_PEF	0x010
#define PSTATE_MG	0x400	/* MMU globals: MMU traps */

/*
 * The kernel's, but for PSTATE_IE. PIL stays 0: interrupts are turned off by
 * PSTATE_IE alone.
 */
#define PSTATE_KERNEL	(PSTATE_PRIV | PSTATE_PEF)
#define PSTATE_TRAP	(PSTATE_KERNEL | PSTATE_AG)

#define TSTATE_CWP	0x1f
#define TSTATE_PSTATE_SHIFT	8
#define TSTATE_IE	(PSTATE_IE << TSTATE_PSTATE_SHIFT)
#define TSTATE_PRIV	(PSTATE_PRIV << TSTATE_PSTATE_SHIFT)
#define TSTATE_ASI_SHIFT	24
#define TSTATE_ASI	(0xffUL << TSTATE_ASI_SHIFT)
#define TSTATE_ICC	(0xfUL << 32)
#define TSTATE_XCC	(0xfUL << 36)
#define TSTATE_ICC_C	0x0100000000
#define TSTATE_XCC_C	0x1000000000

#define FPRS_FEF	4

/*
 * WSTATE says which handlers move windows: .NORMAL in the low three bits the
 * running program's own, .OTHER above them those that it found.
 */
#define WINDOW_KERNEL	0	/* normal: to and from kernel stacks */
#define WINDOW_USER	1	/* normal: to and from user stacks;
				   other: likewise, or to the task's buffer */

#define WSTATE_KERNEL	(WINDOW_USER << 3 | WINDOW_KERNEL)
#define WSTATE_USER	WINDOW_USER

#define NWINDOWS	8

#endif
