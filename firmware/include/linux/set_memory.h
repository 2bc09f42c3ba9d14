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

#endif
