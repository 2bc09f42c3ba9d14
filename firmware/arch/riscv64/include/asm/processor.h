/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task keeps of the CPU, and instructions that C has no name for. */
#ifndef _ASM_PROCESSOR_H
#define _ASM_PROCESSOR_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm-generic/processor.h>
#include <emu/hostcall.h>
#include <asm/csr.h>

#define TASK_SIZE	0x4000000000UL

struct fpu_state {
	u64 f[32];
	u64 fcsr;
} __aligned(16);

struct thread_struct {
	unsigned long ra;		/* while switched out */
	unsigned long sp;
	unsigned long s[12];
	struct fpu_state fpu;
};

static __always_inline void cpu_relax(void)
{
	hostcall0(HC_RELAX);
}

static __always_inline void sync_core(void)
{
	asm volatile("fence.i" : : : "memory");
}

static __always_inline u64 get_cycles(void)
{
	return csr_read(time);
}

#endif
