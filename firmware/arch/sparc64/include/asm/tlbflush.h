/* SPDX-License-Identifier: GPL-2.0-only */
/* Which address space a CPU translates with, and forgetting translations. */
#ifndef _ASM_TLBFLUSH_H
#define _ASM_TLBFLUSH_H

#include <linux/types.h>
#include <linux/percpu.h>
#include <asm/processor.h>

struct mm_struct;
struct task_struct;

struct tlb_state {
	struct mm_struct *loaded_mm;
	bool is_lazy;		/* runs a kernel thread: user part unused */
	u64 tlb_gen;		/* of loaded_mm, when last flushed */
};

DECLARE_PER_CPU(struct tlb_state, cpu_tlbstate);

void load_swapper(void);
void switch_mm_irqs_off(struct mm_struct *prev, struct mm_struct *next,
			struct task_struct *task);
void enter_lazy_tlb(struct mm_struct *mm, struct task_struct *task);

/* The memory behind user windows is soon somebody else's. */
#define deactivate_mm(task, mm) flushw()

void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start,
			unsigned long end);
void flush_tlb_kernel_range(unsigned long start, unsigned long end);
void flush_reset_tlb(void);

#define flush_tlb_mm(mm)		flush_tlb_mm_range(mm, 0, TASK_SIZE)
#define flush_tlb_page(vma, addr) \
	flush_tlb_mm_range((vma)->vm_mm, addr, (addr) + PAGE_SIZE)

#endif
