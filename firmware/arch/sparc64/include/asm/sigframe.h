/* SPDX-License-Identifier: GPL-2.0-only */
/* What a handler finds on its stack, by SPARC's layout. */
#ifndef _ASM_SIGFRAME_H
#define _ASM_SIGFRAME_H

#include <linux/signal_types.h>
#include <asm/ptrace.h>

/* Where the interrupted window is saved, and room for arguments. */
struct sparc_stackf {
	struct reg_window window;
	unsigned long structptr;
	unsigned long xargs[6];
	unsigned long xxargs[1];
};

typedef struct {
	unsigned int si_float_regs[64];
	unsigned long si_fsr;
	unsigned long si_gsr;
	unsigned long si_fprs;
} __siginfo_fpu_t;

struct rt_signal_frame {
	struct sparc_stackf ss;
	siginfo_t info;
	struct pt_regs regs;
	unsigned long fpu_save;		/* address of a __siginfo_fpu_t, or 0 */
	stack_t stack;
	sigset_t mask;
	unsigned long rwin_save;	/* 0: no windows were left over */
};

#endif
