/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task keeps of the CPU, and instructions that C has no name for. */
#ifndef _ASM_PROCESSOR_H
#define _ASM_PROCESSOR_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm/page.h>
#include <asm/ptrace.h>
#include <asm/processor-flags.h>

#define TASK_SIZE	0x7ffffffff000UL
#define STACK_TOP	TASK_SIZE

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

struct task_struct;

#define task_stack_page(task)	((task)->stack)
#define task_top_of_stack(task) \
	((unsigned long)task_stack_page(task) + THREAD_SIZE)
#define task_pt_regs(task) \
	((struct pt_regs *)task_top_of_stack(task) - 1)
#define current_pt_regs()	task_pt_regs(current)

/* The registers with which a program starts. */
void start_thread(struct pt_regs *regs, unsigned long ip, unsigned long sp);

/* Forgets what the old program left in registers that regs does not hold. */
void flush_thread(void);

static __always_inline void cpu_relax(void)
{
	asm volatile("pause" : : : "memory");
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

struct seq_file;

/* /proc/cpuinfo */
void arch_show_cpuinfo(struct seq_file *m);

#endif
