/* SPDX-License-Identifier: GPL-2.0-only */
/* What a handler finds on its stack, by x86-64's layout. */
#ifndef _ASM_SIGFRAME_H
#define _ASM_SIGFRAME_H

#include <linux/signal_types.h>

struct sigcontext {
	unsigned long r8, r9, r10, r11, r12, r13, r14, r15;
	unsigned long di, si, bp, bx, dx, ax, cx, sp, ip, flags;
	unsigned short cs, gs, fs, ss;
	unsigned long err, trapno, oldmask, cr2;
	unsigned long fpstate;		/* address of the fxsave area */
	unsigned long reserved1[8];
};

#define UC_SIGCONTEXT_SS	0x2UL	/* ss is meant */
#define UC_STRICT_RESTORE_SS	0x4UL

struct ucontext {
	unsigned long uc_flags;
	unsigned long uc_link;
	stack_t uc_stack;
	struct sigcontext uc_mcontext;
	sigset_t uc_sigmask;
};

struct rt_sigframe {
	unsigned long pretcode;		/* where the handler returns to */
	struct ucontext uc;
	siginfo_t info;
};

#endif
