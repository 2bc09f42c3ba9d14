/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling all CPUs that a page holds new code. */
#include <linux/mm.h>
#include <emu/hostcall.h>
#include <asm/cacheflush.h>

/* The flag is set last: another CPU may trust it at once. */
void flush_icache_page(struct vm_area_struct *vma, struct page *page)
{
	if (!(vma->vm_flags & VM_EXEC) || test_bit(PG_arch_1, &page->flags))
		return;
	hostcall1(HC_FLUSH_ICACHE_PAGE, page_to_phys(page));
	set_bit(PG_arch_1, &page->flags);
}

void flush_icache_range(unsigned long start, unsigned long end)
{
	for (; start < end; start += PAGE_SIZE)
		hostcall1(HC_FLUSH_ICACHE_PAGE, __pa(start));
}
