/* SPDX-License-Identifier: GPL-2.0-only */
/* Which address space a CPU translates with, and forgetting translations. */
#ifndef _LINUX_TLBFLUSH_H
#define _LINUX_TLBFLUSH_H

#include <linux/types.h>
#include <linux/percpu.h>
#include <asm/mmu_context.h>

struct mm_struct;
struct task_struct;

struct tlb_state {
	struct mm_struct *loaded_mm;
	bool is_lazy;		/* runs a kernel thread: user part unused */
	u64 tlb_gen;		/* of loaded_mm, when last flushed */
};

DECLARE_PER_CPU(struct tlb_state, cpu_tlbstate);

/* Why translations are forgotten, for events. */
enum tlb_flush_reason {
	TLB_FLUSH_ON_TASK_SWITCH,
	TLB_REMOTE_SHOOTDOWN,
	TLB_LOCAL_SHOOTDOWN,
	TLB_LOCAL_MM_SHOOTDOWN,
	TLB_REMOTE_SEND_IPI,
};

/* In place of a number of pages. */
#define TLB_FLUSH_ALL	-1UL

void load_swapper(void);
void switch_mm_irqs_off(struct mm_struct *prev, struct mm_struct *next,
			struct task_struct *task);
void enter_lazy_tlb(struct mm_struct *mm, struct task_struct *task);

/* arch: this CPU's page tables, and what it knows of them. */
void load_mm(struct mm_struct *mm);
void local_flush_tlb_page(unsigned long addr);
void local_flush_tlb_mm(struct mm_struct *mm);

void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start,
			unsigned long end);
void flush_tlb_kernel_range(unsigned long start, unsigned long end);

#define flush_tlb_mm(mm)		flush_tlb_mm_range(mm, 0, TASK_SIZE)
#define flush_tlb_page(vma, addr) \
	flush_tlb_mm_range((vma)->vm_mm, addr, (addr) + PAGE_SIZE)

#endif
