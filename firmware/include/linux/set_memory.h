/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking pages out of the direct map. */
#ifndef _LINUX_SET_MEMORY_H
#define _LINUX_SET_MEMORY_H

struct page;

/*
 * Any access to the page's address will fault, once flush_tlb_kernel_range()
 * has been called. The first in what the direct map maps by one large page
 * takes memory, and fails without it; the others do not.
 */
int set_direct_map_invalid_noflush(struct page *page);

/*
 * What may be done with whole pages of the kernel's mapping, from the return
 * on and on every CPU. 0 or -ENOMEM. May sleep, with interrupts on.
 */
int set_memory_ro(unsigned long addr, int numpages);
int set_memory_rw(unsigned long addr, int numpages);
/* Where the hardware can tell; elsewhere everything is executable. */
int set_memory_nx(unsigned long addr, int numpages);
int set_memory_x(unsigned long addr, int numpages);

#endif
