/* SPDX-License-Identifier: GPL-2.0-only */
/* Reclaim of memory. */
#ifndef _LINUX_SWAP_H
#define _LINUX_SWAP_H

#include <linux/types.h>

/* Lists of pages, by Linux's numbers. There is one here. */
enum lru_list {
	LRU_INACTIVE_FILE = 2,
};

/* So often an allocation may look for memory without finding any. */
#define MAX_RECLAIM_RETRIES	16

unsigned long try_to_free_pages(gfp_t gfp, unsigned int order);
void wakeup_kswapd(gfp_t gfp, unsigned int order);
unsigned long nr_clean_pages(void);

#endif
