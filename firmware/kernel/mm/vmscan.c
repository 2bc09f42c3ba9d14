/* SPDX-License-Identifier: GPL-2.0-only */
/* Reclaim: taking back pages whose contents can be read again. */
#include <linux/buffer_head.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/swap.h>

#define SCAN_BATCH	32

/* Pages of files that are on a disk, the latest first. */
static LIST_HEAD(lru_list);
static DEFINE_SPINLOCK(lru_lock);
static unsigned long nr_lru;

/* Pages of files that are nowhere else are not reclaimed. */
void folio_add_lru(struct page *page)
{
	if (!page->mapping->a_ops->writepage)
		return;
	spin_lock(&lru_lock);
	set_bit(PG_lru, &page->flags);
	list_add(&page->lru, &lru_list);
	nr_lru++;
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

void mark_page_accessed(struct page *page)
{
	if (!PageReferenced(page))
		SetPageReferenced(page);
}

/* The oldest goes to the front, so that the next look is at another. */
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
		__xa_erase(&mapping->i_pages, page->index);
		page->mapping = NULL;
		mapping->nrpages--;
		removed = true;
	}
	xa_unlock(&mapping->i_pages);
	if (removed) {
		folio_del_lru(page);
		put_page(page);
	}
	return removed;
}

/* A clean page that is not in use; ours is a reference, which stays. */
static bool reclaim_page(struct page *page)
{
	bool reclaimed = false;

	if (PageDirty(page) || PageWriteback(page) || !folio_trylock(page))
		return false;
	if (page->mapping && try_to_unmap(page) &&
	    !PageDirty(page) && !PageWriteback(page) &&
	    (!PagePrivate(page) || try_to_free_buffers(page)))
		reclaimed = __remove_mapping(page);
	unlock_page(page);
	return reclaimed;
}

static unsigned long shrink_inactive_list(unsigned long nr)
{
	unsigned long scanned, reclaimed = 0;
	struct page *page;

	for (scanned = 0; scanned < nr; scanned++) {
		page = next_candidate();
		if (!page)
			break;
		if (PageReferenced(page))
			ClearPageReferenced(page);
		else
			reclaimed += reclaim_page(page);
		put_page(page);
		if (reclaimed >= SCAN_BATCH)
			break;
	}
	return reclaimed;
}

/* Every page twice: the first look may only take its being referenced. */
static unsigned long shrink_node(void)
{
	return shrink_inactive_list(2 * READ_ONCE(nr_lru));
}

/* How many pages it could take. Does not sleep. */
unsigned long try_to_free_pages(gfp_t gfp, unsigned int order)
{
	if (!(gfp & __GFP_DIRECT_RECLAIM) || in_interrupt())
		return 0;
	return shrink_node();
}

/* Those of one file that are clean and not in use. How many went. */
unsigned long invalidate_mapping_pages(struct address_space *mapping,
				       unsigned long start, unsigned long end)
{
	unsigned long index = start, count = 0;
	struct page *page;

	while ((page = find_get_next(mapping, &index)) && index <= end) {
		count += reclaim_page(page);
		put_page(page);
		page = NULL;
		if (!++index)
			break;
	}
	if (page)
		put_page(page);
	return count;
}
