/* SPDX-License-Identifier: GPL-2.0-only */
/* Permissions of pages in the kernel's mapping. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/set_memory.h>
#include <linux/tlbflush.h>

/* Bits that make a page executable, or not. Without either, all pages are. */
#ifndef _PAGE_X
#define _PAGE_X		0
#endif
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
	if (!_PAGE_NX && !_PAGE_X)
		return 0;
	return change_page_attr(addr, numpages, _PAGE_NX, _PAGE_X);
}

int set_memory_x(unsigned long addr, int numpages)
{
	if (!_PAGE_NX && !_PAGE_X)
		return 0;
	return change_page_attr(addr, numpages, _PAGE_X, _PAGE_NX);
}
