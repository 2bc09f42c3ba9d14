/* SPDX-License-Identifier: GPL-2.0-only */
/* Dirty pages: counting them, writing a file's, keeping them few. */
#include <linux/blkdev.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sysctl.h>
#include <linux/writeback.h>
#include <trace/events/writeback.h>

/* Of all memory, a writer leaves no larger part dirty: per cent. */
static int vm_dirty_ratio = 20;

static atomic_t nr_dirty;

long nr_dirty_pages(void)
{
	return atomic_read(&nr_dirty);
}

bool TestSetPageDirty(struct page *page)
{
	if (test_and_set_bit(PG_dirty, &page->flags))
		return true;
	trace_writeback_dirty_folio(page, page->mapping);
	atomic_inc(&nr_dirty);
	return false;
}

static bool TestClearPageDirty(struct page *page)
{
	if (!test_and_clear_bit(PG_dirty, &page->flags))
		return false;
	atomic_dec(&nr_dirty);
	return true;
}

/* Its contents have changed. False: that was known, or nobody cares. */
bool folio_mark_dirty(struct page *page)
{
	struct address_space *mapping = page->mapping;

	if (!mapping || !mapping->a_ops->dirty_folio)
		return false;
	return mapping->a_ops->dirty_folio(mapping, page);
}

/*
 * The page is locked; if it was dirty, its I/O must follow. Whoever stores into
 * it through a mapping after that makes it dirty again.
 */
bool folio_clear_dirty_for_io(struct page *page)
{
	if (folio_mkclean(page))
		folio_mark_dirty(page);
	return TestClearPageDirty(page);
}

/* What it holds is not wanted any more. */
void folio_cancel_dirty(struct page *page)
{
	TestClearPageDirty(page);
}

/* Whether the page, which is locked, is still to be written. */
static bool needs_writing(struct address_space *mapping, struct page *page,
			  struct writeback_control *wbc)
{
	if (page->mapping != mapping || !PageDirty(page))
		return false;
	if (PageWriteback(page)) {
		if (wbc->sync_mode == WB_SYNC_NONE) {
			wbc->pages_skipped++;
			return false;
		}
		folio_wait_writeback(page);
	}
	return folio_clear_dirty_for_io(page);
}

/*
 * With no page locked; may sleep. writepage gets each page locked and clean,
 * and unlocks it.
 */
static int write_cache_pages(struct address_space *mapping,
			     struct writeback_control *wbc)
{
	unsigned long index = (u64)wbc->range_start >> PAGE_SHIFT;
	unsigned long end = (u64)wbc->range_end >> PAGE_SHIFT;
	struct page *page;
	int err, ret = 0;

	while (wbc->nr_to_write > 0 && (page = find_get_next(mapping, &index))) {
		if (index > end) {
			put_page(page);
			break;
		}
		index++;
		if (!PageDirty(page)) {
			put_page(page);
			continue;
		}
		lock_page(page);
		if (needs_writing(mapping, page, wbc)) {
			trace_wbc_writepage(wbc, mapping->host);
			err = mapping->a_ops->writepage(page, wbc);
			if (err && !ret)
				ret = err;
			wbc->nr_to_write--;
		} else {
			unlock_page(page);
		}
		put_page(page);
		if (!index)
			break;
	}
	return ret;
}

static int generic_writepages(struct address_space *mapping,
			      struct writeback_control *wbc)
{
	struct blk_plug plug;
	int ret;

	if (!mapping->a_ops->writepage)
		return 0;
	blk_start_plug(&plug);
	ret = write_cache_pages(mapping, wbc);
	blk_finish_plug(&plug);
	return ret;
}

int do_writepages(struct address_space *mapping, struct writeback_control *wbc)
{
	if (mapping->a_ops->writepages)
		return mapping->a_ops->writepages(mapping, wbc);
	return generic_writepages(mapping, wbc);
}

/* A writer that has made too much dirty writes it itself. */
static void balance_dirty_pages(struct address_space *mapping)
{
	filemap_write_and_wait(mapping);
}

void balance_dirty_pages_ratelimited(struct address_space *mapping)
{
	if (nr_dirty_pages() > (long)(max_pfn * vm_dirty_ratio / 100) &&
	    mapping->a_ops->writepage)
		balance_dirty_pages(mapping);
}

static struct ctl_table vm_page_writeback_sysctls[] = {
	{
		.procname	= "dirty_ratio",
		.data		= &vm_dirty_ratio,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE_HUNDRED,
	},
	{ }
};

static int __init page_writeback_init(void)
{
	register_sysctl_init("vm", vm_page_writeback_sysctls);
	return 0;
}
late_initcall(page_writeback_init);
