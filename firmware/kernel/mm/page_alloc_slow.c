/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocations when memory is short: reclaim, waiting, and killing a program. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/swap.h>
#include <linux/writeback.h>
#include "internal.h"

/* Larger blocks may well be missing while there is memory enough. */
#define PAGE_ALLOC_COSTLY_ORDER	3

/* In ticks: how long an allocation waits for memory to come back. */
#define MAX_OOM_TRIES	100

/* Those who cannot wait, and those who write or free pages, get the reserve. */
static unsigned int gfp_to_alloc_flags(gfp_t gfp)
{
	if (current->flags & PF_MEMALLOC || !(gfp & __GFP_DIRECT_RECLAIM) ||
	    !(gfp & __GFP_FS))
		return ALLOC_NO_WATERMARKS;
	return WMARK_MIN;
}

static unsigned long __perform_reclaim(gfp_t gfp, unsigned int order)
{
	unsigned long progress;

	current->flags |= PF_MEMALLOC;
	progress = try_to_free_pages(gfp, order);
	current->flags &= ~PF_MEMALLOC;
	return progress;
}

/* Called with preemption and interrupts on; may sleep. */
static struct page *
__alloc_pages_direct_reclaim(gfp_t gfp, unsigned int order,
			     unsigned int alloc_flags, unsigned long *progress)
{
	struct page *page;

	*progress = __perform_reclaim(gfp, order);
	page = get_page_from_freelist(gfp, order, alloc_flags);
	if (!page) {
		drain_all_pages();
		page = get_page_from_freelist(gfp, order, alloc_flags);
	}
	return page;
}

/* Whether there will be more: what is being written can be taken then. */
static bool should_reclaim_retry(unsigned int order, unsigned long progress,
				 unsigned int *no_progress_loops)
{
	if (order > PAGE_ALLOC_COSTLY_ORDER || fatal_signal_pending(current))
		return false;
	if (progress)
		*no_progress_loops = 0;
	else if (++*no_progress_loops > MAX_RECLAIM_RETRIES)
		return false;
	if (progress)
		return true;
	if (!nr_dirty_pages() && !nr_writeback_pages())
		return false;
	schedule_timeout_uninterruptible(1);
	return true;
}

/*
 * There is nothing to reclaim: someone has to go. Returns whether to try once
 * more, after a while in which the victim may have ended. Not for ever: what
 * it waits for may be what we hold.
 */
static bool __alloc_pages_may_oom(gfp_t gfp, unsigned int order,
				  unsigned int tries)
{
	if (!(gfp & __GFP_DIRECT_RECLAIM) || order > PAGE_ALLOC_COSTLY_ORDER ||
	    !preemptible() || tries > MAX_OOM_TRIES ||
	    current->flags & (PF_EXITING | PF_MEMALLOC) ||
	    fatal_signal_pending(current))
		return false;
	if (!out_of_memory(gfp, order))
		return false;
	schedule_timeout_uninterruptible(1);
	return true;
}

/*
 * Takes pages back from the caches, then from programs. Sleeps only if @gfp
 * allows it and the caller could be preempted.
 */
struct page *__alloc_pages_slowpath(gfp_t gfp, unsigned int order)
{
	unsigned int alloc_flags = gfp_to_alloc_flags(gfp);
	unsigned int tries = 0, no_progress_loops = 0;
	unsigned long progress;
	struct page *page;

	if (gfp & __GFP_KSWAPD_RECLAIM)
		wakeup_kswapd(gfp, order);
	page = get_page_from_freelist(gfp, order, alloc_flags);
	if (page || !(gfp & __GFP_DIRECT_RECLAIM) || !preemptible() ||
	    current->flags & PF_MEMALLOC)
		return page;
	do {
		do {
			page = __alloc_pages_direct_reclaim(gfp, order,
							    alloc_flags,
							    &progress);
		} while (!page && should_reclaim_retry(order, progress,
						       &no_progress_loops));
	} while (!page && __alloc_pages_may_oom(gfp, order, tries++));
	/* Who is to end needs some to get there. */
	if (!page && fatal_signal_pending(current))
		page = get_page_from_freelist(gfp, order, ALLOC_NO_WATERMARKS);
	return page;
}
