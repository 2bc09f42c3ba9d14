/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs remember the code they ran; a page's new contents must be announced. */
#ifndef _ASM_CACHEFLUSH_H
#define _ASM_CACHEFLUSH_H

#include <linux/mm.h>

/* Before a page is mapped executable. */
void flush_icache_page(struct vm_area_struct *vma, struct page *page);

/* Before the kernel executes what it has written to whole pages of its own. */
void flush_icache_range(unsigned long start, unsigned long end);

/* After the kernel has written to a page that programs may map. */
static inline void flush_dcache_page(struct page *page)
{
	clear_bit(PG_arch_1, &page->flags);
}

#endif
