/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task keeps of the CPU, and instructions that C has no name for. */
#ifndef _ASM_PROCESSOR_H
#define _ASM_PROCESSOR_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm-generic/processor.h>
#include <emu/hostcall.h>
#include <asm/pstate.h>

#define TASK_SIZE	0x80000000000UL

struct fpu_state {
	u64 regs[32];
	u64 fsr;
} __aligned(16);

/* A user window that the kernel needed the room of, and where it belongs. */
struct user_window {
	struct reg_window window;
	unsigned long sp;
};

/* All windows but the kernel's first. */
#define MAX_USER_WINDOWS	(NWINDOWS - 1)

struct thread_struct {
	unsigned long ksp;		/* while switched out: %sp ... */
	unsigned long kpc;		/* ... and %o7 of the switch's caller */
	struct user_window *next_window; /* the first free one, oldest first */
	struct user_window windows[MAX_USER_WINDOWS];
	struct fpu_state fpu;
};

/* All windows but the current one go to their stacks, or into the task. */
static __always_inline void flushw(void)
{
	asm volatile("flushw" : : : "memory");
}

static __always_inline unsigned long rdfprs(void)
{
	unsigned long fprs;

	asm volatile("rd %%fprs, %0" : "=r" (fprs));
	return fprs;
}

static __always_inline void wrfprs(unsigned long fprs)
{
	asm volatile("wr %0, 0, %%fprs" : : "r" (fprs));
}

static __always_inline void cpu_relax(void)
{
	hostcall0(HC_RELAX);
}

static __always_inline void sync_core(void)
{
	asm volatile("flush %%g6" : : : "memory");
}

/* The board's cycle counter is %tick_cmpr; its %tick reads 0. */
static __always_inline u64 get_cycles(void)
{
	u64 cycles;

	asm volatile("rd %%asr23, %0" : "=r" (cycles));
	return cycles;
}

#endif
