/* SPDX-License-Identifier: GPL-2.0-only */
/* What a handler finds on its stack, by RISC-V's layout. */
#ifndef _ASM_SIGFRAME_H
#define _ASM_SIGFRAME_H

#include <linux/signal_types.h>
#include <asm/processor.h>

struct sigcontext {
	unsigned long regs[32];		/* pc, then x1 to x31 */
	struct fpu_state fpu;
	u64 fpu_reserved[32];		/* of the quad-precision layout */
};

struct ucontext {
	unsigned long uc_flags;
	unsigned long uc_link;
	stack_t uc_stack;
	sigset_t uc_sigmask;
	u8 unused[1024 / 8 - sizeof(sigset_t)];
	struct sigcontext uc_mcontext __aligned(16);
};

struct rt_sigframe {
	siginfo_t info;
	struct ucontext uc;
};

#endif
