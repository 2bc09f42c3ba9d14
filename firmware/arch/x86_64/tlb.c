/* SPDX-License-Identifier: GPL-2.0-only */
/* What a CPU knows of page tables. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/tlbflush.h>
#include <asm/proto.h>

/* Forgets what was known of the last one. */
notrace void load_mm(struct mm_struct *mm)
{
	asm volatile("mov %0, %%cr3" : : "r" (__pa(mm->pgd)) : "memory");
}

notrace void local_flush_tlb_page(unsigned long addr)
{
	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
}

notrace void local_flush_tlb_mm(struct mm_struct *mm)
{
	load_mm(mm);
}

/* Also what CR3 leaves: the kernel's translations, which are global. */
void __flush_tlb_all(void)
{
	unsigned long cr4 = read_cr4();

	write_cr4(cr4 & ~X86_CR4_PGE);
	write_cr4(cr4);
}

static void do_flush_tlb_all(void *unused)
{
	__flush_tlb_all();
}

/* So rare that the range does not matter. */
void flush_tlb_kernel_range(unsigned long start, unsigned long end)
{
	on_each_cpu(do_flush_tlb_all, NULL);
}
