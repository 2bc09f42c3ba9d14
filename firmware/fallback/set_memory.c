/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's mapping as it is: stacks have no guards, modules no read-only parts. */
#include <linux/mm.h>
#include <linux/set_memory.h>
#include "fallback.h"

__fallback pte_t *kernel_pte(unsigned long addr)
{
	port_lacks();
	return NULL;
}

__fallback int set_direct_map_invalid_noflush(struct page *page)
{
	port_lacks();
	return 0;
}
