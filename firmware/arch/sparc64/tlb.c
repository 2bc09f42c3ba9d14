/* SPDX-License-Identifier: GPL-2.0-only */
/* What a CPU knows of page tables. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <asm/asi.h>
#include <asm/proto.h>
#include <linux/tlbflush.h>

/* As much RAM a CPU has translations for when it starts. */
#define RESET_TLB_SIZE	(32UL << 20)
#define RESET_TLB_PAGE	(4UL << 20)

static inline void demap(unsigned long what)
{
	asm volatile("stxa %%g0, [%0] %1\n\t"
		     "stxa %%g0, [%0] %2\n\t"
		     "membar #Sync"
		     : : "r" (what), "i" (ASI_DMMU_DEMAP),
			 "i" (ASI_IMMU_DEMAP) : "memory");
}

static inline void demap_kernel_page(unsigned long addr)
{
	asm volatile("stxa %%g0, [%0] %1\n\t"
		     "membar #Sync"
		     : : "r" (addr | DEMAP_PAGE_NUCLEUS), "i" (ASI_DMMU_DEMAP)
		     : "memory");
}

static void do_flush_tlb_kernel_range(void *data)
{
	const unsigned long *range = data;
	unsigned long addr;

	for (addr = range[0]; addr < range[1]; addr += PAGE_SIZE)
		demap_kernel_page(addr);
}

/* Of data only: the kernel executes nothing there. */
void flush_tlb_kernel_range(unsigned long start, unsigned long end)
{
	unsigned long range[] = { start, end };

	on_each_cpu(do_flush_tlb_kernel_range, range);
}

/* What a CPU starts with would hide that some pages are not mapped. */
void flush_reset_tlb(void)
{
	unsigned long addr = PAGE_OFFSET;

	for (; addr < PAGE_OFFSET + RESET_TLB_SIZE; addr += RESET_TLB_PAGE)
		demap_kernel_page(addr);
}

/* All programs have the same context: nothing of the last one may stay. */
notrace void load_mm(struct mm_struct *mm)
{
	load_page_table(__pa(mm->pgd));
	demap(DEMAP_CONTEXT_PRIMARY);
}

notrace void local_flush_tlb_page(unsigned long addr)
{
	demap(addr | DEMAP_PAGE_PRIMARY);
}

notrace void local_flush_tlb_mm(struct mm_struct *mm)
{
	demap(DEMAP_CONTEXT_PRIMARY);
}
