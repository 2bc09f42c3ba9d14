/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task keeps of the CPU, and instructions that C has no name for. */
#ifndef _ASM_PROCESSOR_H
#define _ASM_PROCESSOR_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm-generic/processor.h>
#include <asm/processor-flags.h>

#define TASK_SIZE	0x7ffffffff000UL

struct fpu_state {
	u8 fxsave[512];
} __aligned(16);

struct thread_struct {
	unsigned long sp;		/* while switched out */
	unsigned long fsbase;
	unsigned long cr2;		/* of its last fault, for handlers */
	unsigned long trap_nr;
	unsigned long error_code;
	struct fpu_state fpu;
};

static __always_inline void cpu_relax(void)
{
	asm volatile("pause" : : : "memory");
}

/* To have been interrupted is enough. */
static __always_inline void sync_core(void)
{
}

static __always_inline u64 rdtsc(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return (u64)high << 32 | low;
}

#define get_cycles()	rdtsc()

static __always_inline unsigned long read_cr2(void)
{
	unsigned long address;

	asm volatile("mov %%cr2, %0" : "=r" (address));
	return address;
}

static __always_inline unsigned long read_cr4(void)
{
	unsigned long val;

	asm volatile("mov %%cr4, %0" : "=r" (val));
	return val;
}

static __always_inline void write_cr4(unsigned long val)
{
	asm volatile("mov %0, %%cr4" : : "r" (val) : "memory");
}

#endif
