/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reclaim: taking back pages whose contents can be read again, and having
 * caches give back objects; directly, by who needs a page, or by kswapd.
 */
#include <linux/buffer_head.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/shrinker.h>
#include <linux/swap.h>
#include <linux/wait.h>
#include <linux/writeback.h>
#include "internal.h"


#define DEF_PRIORITY	12	/* the first round looks at a 2^12th of all */
#define SWAP_CLUSTER_MAX	32UL

struct scan_control {
	gfp_t gfp_mask;
	unsigned long nr_to_reclaim;
	unsigned long nr_reclaimed;
	int priority;
};

/* What became of the pages that were looked at. */
struct reclaim_stat {
	unsigned int nr_dirty;		/* or being written */
	unsigned int nr_writeback;
	unsigned int nr_ref_keep;	/* used meanwhile */
	unsigned int nr_unmap_fail;
};

#define CREATE_TRACE_POINTS
#include <trace/events/pagemap.h>
#define CREATE_TRACE_POINTS
#include <trace/events/vmscan.h>

/* There is one node, with one zone. */
#define KSWAPD_NODE	0
#define KSWAPD_ZONE	0

/* Pages of files that are on a disk, the latest first. */
static LIST_HEAD(lru_list);
static DEFINE_SPINLOCK(lru_lock);
static unsigned long nr_lru;

static DECLARE_WAIT_QUEUE_HEAD(kswapd_wait);
static bool kswapd_wanted;
static unsigned int kswapd_order;	/* of what was not to be had */
static unsigned int kswapd_failures;	/* in a row */

void folio_add_lru(struct page *page)
{
	if (mapping_unevictable(page->mapping))
		return;
	spin_lock(&lru_lock);
	set_bit(PG_lru, &page->flags);
	list_add(&page->lru, &lru_list);
	nr_lru++;
	trace_mm_lru_insertion(page);
	spin_unlock(&lru_lock);
}

void folio_del_lru(struct page *page)
{
	if (!test_bit(PG_lru, &page->flags))
		return;
	spin_lock(&lru_lock);
	if (test_and_clear_bit(PG_lru, &page->flags)) {
		list_del(&page->lru);
		nr_lru--;
	}
	spin_unlock(&lru_lock);
}

/* Pages of files that could be taken, perhaps after having been unmapped. */
unsigned long nr_clean_pages(void)
{
	unsigned long all = READ_ONCE(nr_lru), busy = nr_dirty_pages() + nr_writeback_pages();

	return all > busy ? all - busy : 0;
}

void mark_page_accessed(struct page *page)
{
	if (!PageReferenced(page))
		SetPageReferenced(page);
}

/*
 * The oldest goes to the front, so that the next look is at another.
 * Referenced; takes lru_lock.
 */
static struct page *next_candidate(void)
{
	struct page *page;

	spin_lock(&lru_lock);
	page = list_empty(&lru_list) ? NULL :
	       list_last_entry(&lru_list, struct page, lru);
	if (page) {
		list_move(&page->lru, &lru_list);
		get_page(page);
	}
	spin_unlock(&lru_lock);
	return page;
}

/* The page is locked. True: it is out of its file. */
static bool __remove_mapping(struct page *page)
{
	struct address_space *mapping = page->mapping;
	bool removed = false;

	xa_lock(&mapping->i_pages);
	/* The mapping's reference and ours: nobody else can have it. */
	if (page_count(page) == 2 && !PageDirty(page)) {
		__filemap_remove_folio(page);
		removed = true;
	}
	xa_unlock(&mapping->i_pages);
	if (removed) {
		folio_del_lru(page);
		put_page(page);
	}
	return removed;
}

/*
 * A clean page that is not in use, but perhaps mapped. Called with a reference,
 * which stays, and the page not locked. Does not sleep.
 */
static bool reclaim_page(struct page *page, bool mapped,
			 struct reclaim_stat *stat)
{
	bool reclaimed = false, unmapped;

	if (PageDirty(page) || PageWriteback(page)) {
		stat->nr_dirty++;
		stat->nr_writeback += PageWriteback(page);
		return false;
	}
	if (!folio_trylock(page))
		return false;
	if (page->mapping && !mapping_unevictable(page->mapping)) {
		unmapped = !mapped || try_to_unmap(page);
		stat->nr_unmap_fail += !unmapped;
		if (unmapped && !PageDirty(page) && !PageWriteback(page) &&
		    (!PagePrivate(page) || try_to_free_buffers(page)))
			reclaimed = __remove_mapping(page);
	}
	unlock_page(page);
	return reclaimed;
}

static unsigned long shrink_inactive_list(unsigned long nr, int priority)
{
	unsigned long scanned, reclaimed = 0;
	struct reclaim_stat stat = {};
	struct page *page;

	for (scanned = 0; scanned < nr; scanned++) {
		page = next_candidate();
		if (!page)
			break;
		if (PageReferenced(page)) {
			ClearPageReferenced(page);
			stat.nr_ref_keep++;
		} else {
			reclaimed += reclaim_page(page, true, &stat);
		}
		put_page(page);
	}
	trace_mm_vmscan_lru_shrink_inactive(KSWAPD_NODE, scanned, reclaimed,
					    &stat, priority);
	return reclaimed;
}

static void shrink_lruvec(struct scan_control *sc)
{
	unsigned long nr = max(READ_ONCE(nr_lru) >> sc->priority,
			       SWAP_CLUSTER_MAX);

	while (nr && sc->nr_reclaimed < sc->nr_to_reclaim) {
		unsigned long batch = min(nr, SWAP_CLUSTER_MAX);

		sc->nr_reclaimed += shrink_inactive_list(batch,
							 sc->priority);
		nr -= batch;
	}
}

/*
 * True: something was to be had. May sleep; sc->gfp_mask says whether it may
 * enter file systems.
 */
static bool shrink_node(struct scan_control *sc)
{
	unsigned long before = sc->nr_reclaimed, free = nr_free_pages();

	shrink_lruvec(sc);
	shrink_slab(sc->gfp_mask, sc->priority);
	/* Objects become pages when a whole slab is free. */
	if (sc->nr_reclaimed == before && nr_free_pages() > free)
		sc->nr_reclaimed += nr_free_pages() - free;
	if (sc->nr_reclaimed == before && nr_dirty_pages())
		wakeup_flusher_threads(WB_REASON_VMSCAN);
	if (sc->nr_reclaimed == before)
		return false;
	kswapd_failures = 0;
	return true;
}

/* Of all, more and more, until it is enough. */
static unsigned long do_try_to_free_pages(struct scan_control *sc)
{
	do {
		shrink_node(sc);
	} while (sc->nr_reclaimed < sc->nr_to_reclaim && sc->priority--);
	return sc->nr_reclaimed;
}

/*
 * For an allocation that may sleep, in a task with PF_MEMALLOC: how many pages
 * it could take.
 */
unsigned long try_to_free_pages(gfp_t gfp, unsigned int order)
{
	struct scan_control sc = {
		.gfp_mask	= gfp,
		.nr_to_reclaim	= max(1UL << order, SWAP_CLUSTER_MAX),
		.priority	= DEF_PRIORITY,
	};
	unsigned long nr_reclaimed;

	trace_mm_vmscan_direct_reclaim_begin(order, gfp);
	nr_reclaimed = do_try_to_free_pages(&sc);
	trace_mm_vmscan_direct_reclaim_end(nr_reclaimed);
	return nr_reclaimed;
}

/*
 * Until there is as much memory as allocations in a row may need. Only kswapd
 * calls it; may sleep.
 */
static void balance_pgdat(void)
{
	struct scan_control sc = {
		.gfp_mask	= GFP_KERNEL,
		.nr_to_reclaim	= SWAP_CLUSTER_MAX,
		.priority	= DEF_PRIORITY,
	};

	while (!zone_watermark_ok(0, WMARK_HIGH)) {
		sc.nr_reclaimed = 0;
		if (shrink_node(&sc) && sc.nr_reclaimed >= sc.nr_to_reclaim)
			continue;
		if (!sc.priority--) {
			kswapd_failures++;
			break;
		}
	}
}

static void kswapd_try_to_sleep(void)
{
	if (!READ_ONCE(kswapd_wanted))
		trace_mm_vmscan_kswapd_sleep(KSWAPD_NODE);
	wait_event_idle(kswapd_wait, READ_ONCE(kswapd_wanted));
}

static int kswapd(void *unused)
{
	current->flags |= PF_MEMALLOC | PF_KSWAPD;
	for (;;) {
		kswapd_try_to_sleep();
		trace_mm_vmscan_kswapd_wake(KSWAPD_NODE, KSWAPD_ZONE,
					    READ_ONCE(kswapd_order));
		WRITE_ONCE(kswapd_wanted, false);
		balance_pgdat();
	}
	return 0;
}

/*
 * Memory is getting short. If it tried hard in vain, it is left alone. In any
 * context but NMI.
 */
void wakeup_kswapd(gfp_t gfp, unsigned int order)
{
	if (kswapd_failures >= MAX_RECLAIM_RETRIES ||
	    READ_ONCE(kswapd_wanted) || !waitqueue_active(&kswapd_wait))
		return;
	trace_mm_vmscan_wakeup_kswapd(KSWAPD_NODE, KSWAPD_ZONE, order, gfp);
	WRITE_ONCE(kswapd_order, order);
	WRITE_ONCE(kswapd_wanted, true);
	wake_up_all(&kswapd_wait);
}

/* Those of one file that are clean and not in use. How many went. */
unsigned long invalidate_mapping_pages(struct address_space *mapping,
				       unsigned long start, unsigned long end)
{
	unsigned long index = start, count = 0;
	struct reclaim_stat stat = {};
	struct page *page;

	while ((page = find_get_next(mapping, &index)) && index <= end) {
		count += reclaim_page(page, false, &stat);
		put_page(page);
		page = NULL;
		if (!++index)
			break;
	}
	if (page)
		put_page(page);
	return count;
}

static int __init kswapd_init(void)
{
	return PTR_ERR_OR_ZERO(kthread_run(kswapd, NULL, "kswapd0"));
}
module_init(kswapd_init);
