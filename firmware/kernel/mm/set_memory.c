/* SPDX-License-Identifier: GPL-2.0-only */
/* Permissions of pages in the kernel's mapping. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/set_memory.h>
#include <linux/tlbflush.h>

/* On an MMU without this bit, all pages are executable. */
#ifndef _PAGE_NX
#define _PAGE_NX	0
#endif

static int change_page_attr(unsigned long addr, int numpages,
			    unsigned long set, unsigned long clear)
{
	unsigned long end = addr + numpages * PAGE_SIZE, p;

	for (p = addr; p < end; p += PAGE_SIZE) {
		pte_t *pte = kernel_pte(p);

		if (!pte)
			return -ENOMEM;
		set_pte(pte, __pte((pte_val(*pte) & ~clear) | set));
	}
	flush_tlb_kernel_range(addr, end);
	return 0;
}

int set_memory_ro(unsigned long addr, int numpages)
{
	return change_page_attr(addr, numpages, 0, _PAGE_WRITE);
}

int set_memory_rw(unsigned long addr, int numpages)
{
	return change_page_attr(addr, numpages, _PAGE_WRITE, 0);
}

int set_memory_nx(unsigned long addr, int numpages)
{
	return _PAGE_NX ? change_page_attr(addr, numpages, _PAGE_NX, 0) : 0;
}

int set_memory_x(unsigned long addr, int numpages)
{
	return _PAGE_NX ? change_page_attr(addr, numpages, 0, _PAGE_NX) : 0;
}
