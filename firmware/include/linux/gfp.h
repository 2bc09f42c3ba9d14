/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages from the buddy allocator. */
#ifndef _LINUX_GFP_H
#define _LINUX_GFP_H

#include <linux/kernel.h>
#include <linux/types.h>

struct page;

/* Spelled as events show them: see <trace/events/gfpflags.h>. */
#define __GFP_HIGHMEM	((__force gfp_t)0x02u)
#define __GFP_MOVABLE	((__force gfp_t)0x08u)
#define __GFP_HIGH	((__force gfp_t)0x20u)
#define __GFP_IO	((__force gfp_t)0x40u)
#define __GFP_FS	((__force gfp_t)0x80u)
#define __GFP_ZERO	((__force gfp_t)0x100u)
#define __GFP_ATOMIC	((__force gfp_t)0x200u)
#define __GFP_DIRECT_RECLAIM ((__force gfp_t)0x400u)	/* may sleep */
#define __GFP_KSWAPD_RECLAIM ((__force gfp_t)0x800u)	/* wakes who reclaims
							   in advance */
#define __GFP_RECLAIM	((__force gfp_t)(0x400u|0x800u))
#define __GFP_HARDWALL	((__force gfp_t)0x100000u)
#define __GFP_SKIP_KASAN_POISON	((__force gfp_t)0)
#define __GFP_SKIP_KASAN_UNPOISON ((__force gfp_t)0)

#define GFP_ATOMIC	(__GFP_HIGH|__GFP_ATOMIC|__GFP_KSWAPD_RECLAIM)
#define GFP_KERNEL	(__GFP_RECLAIM | __GFP_IO | __GFP_FS)
#define GFP_NOFS	(__GFP_RECLAIM | __GFP_IO)	/* asks no file system */
#define GFP_NOIO	(__GFP_RECLAIM)
#define GFP_USER	(__GFP_RECLAIM | __GFP_IO | __GFP_FS | __GFP_HARDWALL)
#define GFP_HIGHUSER	(GFP_USER | __GFP_HIGHMEM)
#define GFP_HIGHUSER_MOVABLE (GFP_HIGHUSER | __GFP_MOVABLE | \
			      __GFP_SKIP_KASAN_POISON | \
			      __GFP_SKIP_KASAN_UNPOISON)

/* There are no nodes of memory to choose from. */
#define NUMA_NO_NODE	(-1)

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
