/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages: a buddy allocator of blocks of 2^order pages, and before it a list of
 * single pages for each CPU, so that most allocations need no shared lock.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/smp.h>
#include <linux/sysinfo.h>
#include <trace/events/kmem.h>
#include "internal.h"

#define MAX_ORDER	11		/* the largest block: 4 MiB */

/* The only kind of blocks: they are not told apart by what can be moved. */
#define MIGRATE_UNMOVABLE	0

#define PCP_BATCH	16		/* pages moved between lists at once */
#define PCP_HIGH	64		/* a CPU keeps no more than this */

struct zone {
	spinlock_t lock;
	struct list_head free_area[MAX_ORDER];
	unsigned long nr_free;
};

struct per_cpu_pages {
	struct list_head list;
	unsigned int count;
};

unsigned long vmemmap_base;
unsigned long max_pfn;
struct page *empty_zero_page;

static struct zone zone;
static unsigned long nr_managed;
static unsigned long watermark[NR_WMARK];	/* none while the kernel starts */
static DEFINE_PER_CPU(struct per_cpu_pages, pcp_lists);

static inline void add_to_free_list(struct page *page, unsigned int order)
{
	page->order = order;
	__set_bit(PG_buddy, &page->flags);
	list_add(&page->lru, &zone.free_area[order]);
}

static inline void del_page_from_free_list(struct page *page)
{
	__clear_bit(PG_buddy, &page->flags);
	list_del(&page->lru);
}

/* Merges with the other half as long as that is free too. Zone locked. */
static void __free_one_page(struct page *page, unsigned int order)
{
	unsigned long pfn = page_to_pfn(page);

	zone.nr_free += 1UL << order;
	for (; order < MAX_ORDER - 1; order++) {
		unsigned long buddy_pfn = pfn ^ (1UL << order);
		struct page *buddy = pfn_to_page(buddy_pfn);

		if (buddy_pfn >= max_pfn || buddy->order != order ||
		    !test_bit(PG_buddy, &buddy->flags))
			break;
		del_page_from_free_list(buddy);
		pfn &= buddy_pfn;
	}
	add_to_free_list(pfn_to_page(pfn), order);
}

/* Takes a free block of 2^@high pages; what is too much of it goes back. */
static struct page *expand(struct page *page, unsigned int low,
			   unsigned int high)
{
	del_page_from_free_list(page);
	while (high > low) {
		high--;
		add_to_free_list(page + (1UL << high), high);
	}
	zone.nr_free -= 1UL << low;
	trace_mm_page_alloc_zone_locked(page, low, MIGRATE_UNMOVABLE, !low);
	return page;
}

/*
 * The smallest block that is large enough. With zone.lock held and interrupts
 * off.
 */
static struct page *__rmqueue(unsigned int order)
{
	struct page *page;
	unsigned int o;

	for (o = order; o < MAX_ORDER; o++) {
		page = list_first_entry_or_null(&zone.free_area[o], struct page,
						lru);
		if (page)
			return expand(page, order, o);
	}
	return NULL;
}

/* The same, of those whose first pages are below @end_pfn. */
static struct page *__rmqueue_below(unsigned int order, unsigned long end_pfn)
{
	struct page *page;
	unsigned int o;

	for (o = order; o < MAX_ORDER; o++)
		list_for_each_entry(page, &zone.free_area[o], lru)
			if (page_to_pfn(page) + (1UL << order) <= end_pfn)
				return expand(page, order, o);
	return NULL;
}

/* With interrupts off, on the CPU of @pcp; takes zone.lock. */
static void rmqueue_bulk(struct per_cpu_pages *pcp)
{
	struct page *page;
	unsigned int i;

	spin_lock(&zone.lock);
	for (i = 0; i < PCP_BATCH; i++) {
		page = __rmqueue(0);
		if (!page)
			break;
		list_add_tail(&page->lru, &pcp->list);
		pcp->count++;
	}
	spin_unlock(&zone.lock);
}

static struct page *rmqueue_pcplist(void)
{
	struct per_cpu_pages *pcp;
	struct page *page;
	unsigned long flags;

	local_irq_save(flags);
	pcp = this_cpu_ptr(&pcp_lists);
	if (!pcp->count)
		rmqueue_bulk(pcp);
	page = list_first_entry_or_null(&pcp->list, struct page, lru);
	if (page) {
		list_del(&page->lru);
		pcp->count--;
	}
	local_irq_restore(flags);
	return page;
}

static inline struct page *rmqueue(unsigned int order)
{
	unsigned long flags;
	struct page *page;

	if (!order)
		return rmqueue_pcplist();
	spin_lock_irqsave(&zone.lock, flags);
	page = __rmqueue(order);
	spin_unlock_irqrestore(&zone.lock, flags);
	return page;
}

static inline void prep_new_page(struct page *page, unsigned int order,
				 gfp_t gfp)
{
	unsigned int i;

	page->flags = 0;
	page->order = order;
	page->mapping = NULL;
	atomic_set(&page->_refcount, 1);
	if (gfp & __GFP_ZERO)
		for (i = 0; i < 1u << order; i++)
			clear_page(page_address(page + i));
}

/* Whether that much is left besides a block of this order. */
bool zone_watermark_ok(unsigned int order, unsigned int mark)
{
	return READ_ONCE(zone.nr_free) >= watermark[mark] + (1UL << order);
}

/* In any context but NMI; does not sleep. */
struct page *get_page_from_freelist(gfp_t gfp, unsigned int order,
				    unsigned int alloc_flags)
{
	struct page *page;

	if (!(alloc_flags & ALLOC_NO_WATERMARKS) &&
	    !zone_watermark_ok(order, alloc_flags & ALLOC_WMARK_MASK))
		return NULL;
	page = rmqueue(order);
	if (page)
		prep_new_page(page, order, gfp);
	return page;
}

/*
 * In any context but NMI. One reference, which is the caller's; NULL if there
 * is no such block.
 */
struct page *__alloc_pages(gfp_t gfp, unsigned int order)
{
	struct page *page;

	if (WARN_ON_ONCE(order >= MAX_ORDER))
		return NULL;
	page = get_page_from_freelist(gfp, order, WMARK_LOW);
	if (!page)
		page = __alloc_pages_slowpath(gfp, order);
	trace_mm_page_alloc(page, order, gfp, MIGRATE_UNMOVABLE);
	return page;
}

/* Where code can be that the kernel calls. NULL if there is no such block. */
struct page *alloc_pages_below(gfp_t gfp, unsigned int order,
			       unsigned long end_pfn)
{
	unsigned long flags;
	struct page *page;

	if (max_pfn <= end_pfn || order >= MAX_ORDER)
		return alloc_pages(gfp, order);
	spin_lock_irqsave(&zone.lock, flags);
	page = __rmqueue_below(order, end_pfn);
	spin_unlock_irqrestore(&zone.lock, flags);
	if (page)
		prep_new_page(page, order, gfp);
	trace_mm_page_alloc(page, order, gfp, MIGRATE_UNMOVABLE);
	return page;
}

static void free_pcppages_bulk(struct per_cpu_pages *pcp)
{
	struct page *page;
	unsigned int i;

	spin_lock(&zone.lock);
	for (i = 0; i < PCP_BATCH; i++) {
		page = list_last_entry(&pcp->list, struct page, lru);
		list_del(&page->lru);
		pcp->count--;
		__free_one_page(page, 0);
		trace_mm_page_pcpu_drain(page, 0, MIGRATE_UNMOVABLE);
	}
	spin_unlock(&zone.lock);
}

static void drain_local_pages(void *unused)
{
	struct per_cpu_pages *pcp;
	struct page *page, *next;
	unsigned long flags;

	local_irq_save(flags);
	pcp = this_cpu_ptr(&pcp_lists);
	spin_lock(&zone.lock);
	list_for_each_entry_safe(page, next, &pcp->list, lru) {
		list_del(&page->lru);
		__free_one_page(page, 0);
		trace_mm_page_pcpu_drain(page, 0, MIGRATE_UNMOVABLE);
	}
	pcp->count = 0;
	spin_unlock(&zone.lock);
	local_irq_restore(flags);
}

/* What CPUs keep for themselves is there for all. */
void drain_all_pages(void)
{
	on_each_cpu(drain_local_pages, NULL);
}

void free_unref_page(struct page *page)
{
	struct per_cpu_pages *pcp;
	unsigned long flags;

	local_irq_save(flags);
	pcp = this_cpu_ptr(&pcp_lists);
	list_add(&page->lru, &pcp->list);
	if (++pcp->count > PCP_HIGH)
		free_pcppages_bulk(pcp);
	local_irq_restore(flags);
}

static void __free_pages_ok(struct page *page, unsigned int order)
{
	unsigned long flags;

	spin_lock_irqsave(&zone.lock, flags);
	__free_one_page(page, order);
	spin_unlock_irqrestore(&zone.lock, flags);
}

static inline void __free_the_page(struct page *page, unsigned int order)
{
	page->flags = 0;
	if (order)
		__free_pages_ok(page, order);
	else
		free_unref_page(page);
}

/* All of it, so that the usual way has nothing to keep for later. */
static notrace void free_the_traced_page(struct page *page, unsigned int order)
{
	trace_mm_page_free(page, order);
	__free_the_page(page, order);
}

static inline void free_the_page(struct page *page, unsigned int order)
{
	if (trace_mm_page_free_enabled())
		free_the_traced_page(page, order);
	else
		__free_the_page(page, order);
}

void __free_pages(struct page *page, unsigned int order)
{
	if (atomic_dec_and_test(&page->_refcount))
		free_the_page(page, order);
}

/* The last reference is gone. */
void __put_page(struct page *page)
{
	free_the_page(page, page->order);
}

void release_pages(struct page **pages, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (atomic_dec_and_test(&pages[i]->_refcount)) {
			trace_mm_page_free_batched(pages[i]);
			__put_page(pages[i]);
		}
}

unsigned long __get_free_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp, order);

	return page ? (unsigned long)page_address(page) : 0;
}

unsigned long get_zeroed_page(gfp_t gfp)
{
	return __get_free_pages(gfp | __GFP_ZERO, 0);
}

void free_pages(unsigned long addr, unsigned int order)
{
	if (addr)
		__free_pages(virt_to_page(addr), order);
}

void free_reserved_page(struct page *page)
{
	nr_managed++;
	__free_pages_ok(page, 0);
}

/* In the largest blocks that fit and are aligned. */
void __init __free_pages_memory(unsigned long start, unsigned long end)
{
	unsigned int order;

	while (start < end) {
		order = start ? __ffs(start) : MAX_ORDER - 1;
		order = min_t(unsigned int, order, MAX_ORDER - 1);
		while (start + (1UL << order) > end)
			order--;
		__free_one_page(pfn_to_page(start), order);
		start += 1UL << order;
	}
}

void __init page_alloc_init(void)
{
	unsigned int order;
	int cpu;

	for (order = 0; order < MAX_ORDER; order++)
		INIT_LIST_HEAD(&zone.free_area[order]);
	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu(pcp_lists, cpu).list);
	vmemmap_base = (unsigned long)
		memblock_alloc(max_pfn * sizeof(struct page), PAGE_SIZE);
	memblock_free_all();
	nr_managed = zone.nr_free;
	empty_zero_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
}

/* Pages that are nobody's, those that CPUs keep for themselves included. */
unsigned long nr_free_pages(void)
{
	unsigned long nr = READ_ONCE(zone.nr_free);
	int cpu;

	for_each_possible_cpu(cpu)
		nr += READ_ONCE(per_cpu(pcp_lists, cpu).count);
	return nr;
}

/* More memory needs a larger reserve, but not in proportion. */
static int __init init_per_zone_wmark_min(void)
{
	unsigned long kbytes = nr_managed << (PAGE_SHIFT - 10), min = 1;

	while ((min + 1) * (min + 1) <= kbytes * 16)
		min++;
	min = clamp(min, 128UL, 262144UL) >> (PAGE_SHIFT - 10);
	watermark[WMARK_MIN] = min;
	watermark[WMARK_LOW] = min + min / 4;
	watermark[WMARK_HIGH] = min + min / 2;
	return 0;
}
postcore_initcall(init_per_zone_wmark_min);

/* All that was ever free, that is, without the image and the like. */
unsigned long totalram_pages(void)
{
	return nr_managed;
}

void si_meminfo(struct sysinfo *val)
{
	val->totalram = totalram_pages() << PAGE_SHIFT;
	val->freeram = nr_free_pages() << PAGE_SHIFT;
}
