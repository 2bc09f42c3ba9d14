/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading pages before they are asked for. */
#include <linux/blkdev.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#define READ_AHEAD_BYTES	(128 << 10)
#define READ_AHEAD_PAGES	(READ_AHEAD_BYTES / PAGE_SIZE)

/* Has the page read unless somebody else did; does not wait. */
static bool read_one(struct address_space *mapping, unsigned long index)
{
	struct page *page = find_get_page(mapping, index);

	if (page) {
		put_page(page);
		return false;	/* from here on it may all be there */
	}
	page = grab_cache_page(mapping, index);
	if (IS_ERR(page))
		return false;
	if (PageUptodate(page))
		unlock_page(page);
	else
		mapping->a_ops->read_folio(NULL, page);
	put_page(page);
	return true;
}

static void page_cache_ra_unbounded(struct address_space *mapping,
				    unsigned long index, unsigned long nr)
{
	struct blk_plug plug;

	blk_start_plug(&plug);
	while (nr-- && read_one(mapping, index++))
		;
	blk_finish_plug(&plug);
}

static void do_page_cache_ra(struct address_space *mapping, unsigned long index,
			     unsigned long nr)
{
	loff_t size = i_size_read(mapping->host);
	unsigned long end = DIV_ROUND_UP((u64)size, PAGE_SIZE);

	if (index >= end)
		return;
	page_cache_ra_unbounded(mapping, index, min(nr, end - index));
}

/*
 * The page at @index is needed and not there. If the one before it is, the
 * file is being read from the front.
 */
static void ondemand_readahead(struct address_space *mapping,
			       unsigned long index)
{
	unsigned long nr = READ_AHEAD_PAGES;
	struct page *before;

	if (index) {
		before = find_get_page(mapping, index - 1);
		if (!before)
			nr = 1;
		else
			put_page(before);
	}
	do_page_cache_ra(mapping, index, nr);
}

void page_cache_sync_readahead(struct address_space *mapping,
			       unsigned long index)
{
	/* Without a disk there is nothing to be gained. */
	if (mapping->a_ops->writepage && mapping->a_ops->read_folio)
		ondemand_readahead(mapping, index);
}
