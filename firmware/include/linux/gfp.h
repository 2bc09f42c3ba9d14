/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages from the buddy allocator. */
#ifndef _LINUX_GFP_H
#define _LINUX_GFP_H

#include <linux/kernel.h>
#include <linux/types.h>

struct page;

#define __GFP_ZERO	0x100u
#define GFP_KERNEL	0x0cc0u
#define GFP_ATOMIC	0x0a20u
#define GFP_HIGHUSER	0x0cc0u
#define GFP_NOFS	0x0c40u		/* reclaims, but asks no file system */
#define GFP_NOIO	0x0c00u

#define __GFP_IO	0x0040u
#define __GFP_FS	0x0080u
#define __GFP_DIRECT_RECLAIM 0x0400u	/* may sleep */
#define __GFP_KSWAPD_RECLAIM 0x0800u	/* wakes who reclaims in advance */

static inline bool gfpflags_allow_blocking(gfp_t gfp)
{
	return gfp & __GFP_DIRECT_RECLAIM;
}

struct page *__alloc_pages(gfp_t gfp, unsigned int order);
struct page *alloc_pages_below(gfp_t gfp, unsigned int order,
			       unsigned long end_pfn);
unsigned long nr_free_pages(void);
unsigned long totalram_pages(void);
void __free_pages(struct page *page, unsigned int order);
unsigned long __get_free_pages(gfp_t gfp, unsigned int order);
unsigned long get_zeroed_page(gfp_t gfp);
void free_pages(unsigned long addr, unsigned int order);

#define alloc_pages(gfp, order) \
	(might_sleep_if(gfpflags_allow_blocking(gfp)), __alloc_pages(gfp, order))
#define alloc_page(gfp)		alloc_pages(gfp, 0)
#define __free_page(page)	__free_pages(page, 0)
#define __get_free_page(gfp)	__get_free_pages(gfp, 0)
#define free_page(addr)		free_pages(addr, 0)

#endif
