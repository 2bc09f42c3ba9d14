/* SPDX-License-Identifier: GPL-2.0-only */
/* What a CPU knows of page tables. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/tlbflush.h>
#include <asm/csr.h>

static __always_inline void sfence_vma_all(void)
{
	asm volatile("sfence.vma" : : : "memory");
}

/* Forgets what was known of the last one. */
notrace void load_mm(struct mm_struct *mm)
{
	csr_write(satp, SATP_MODE_39 | __pa(mm->pgd) >> PAGE_SHIFT);
	sfence_vma_all();
}

notrace void local_flush_tlb_page(unsigned long addr)
{
	asm volatile("sfence.vma %0" : : "r" (addr) : "memory");
}

notrace void local_flush_tlb_mm(struct mm_struct *mm)
{
	sfence_vma_all();
}

static void do_flush_tlb_all(void *unused)
{
	sfence_vma_all();
}

/* So rare that the range does not matter. */
void flush_tlb_kernel_range(unsigned long start, unsigned long end)
{
	on_each_cpu(do_flush_tlb_all, NULL);
}
