/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for pages: they share a few queues. */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/wait.h>
#include <linux/writeback.h>

#define PAGE_WAIT_TABLE_SIZE	32

static wait_queue_head_t folio_wait_table[PAGE_WAIT_TABLE_SIZE];

static inline wait_queue_head_t *folio_waitqueue(struct page *page)
{
	return &folio_wait_table[page_to_pfn(page) % PAGE_WAIT_TABLE_SIZE];
}

bool folio_trylock(struct page *page)
{
	if (test_and_set_bit(PG_locked, &page->flags))
		return false;
	stall_until_release(&page->unlocked);
	return true;
}

void __folio_lock(struct page *page)
{
	wait_event(*folio_waitqueue(page), folio_trylock(page));
}

void folio_unlock(struct page *page)
{
	wait_queue_head_t *wq = folio_waitqueue(page);

	note_release(&page->unlocked);
	clear_bit(PG_locked, &page->flags);
	if (waitqueue_active(wq))
		wake_up_all(wq);
}

void folio_wait_locked(struct page *page)
{
	wait_event(*folio_waitqueue(page), !PageLocked(page));
	stall_until_release(&page->unlocked);
}

/*
 * PG_writeback: the page's I/O is under way; it stays where it is until that
 * ends, which is in a softirq.
 */
static atomic_t nr_writeback;

long nr_writeback_pages(void)
{
	return atomic_read(&nr_writeback);
}

void folio_start_writeback(struct page *page)
{
	get_page(page);
	atomic_inc(&nr_writeback);
	set_bit(PG_writeback, &page->flags);
}

void folio_end_writeback(struct page *page)
{
	wait_queue_head_t *wq = folio_waitqueue(page);

	clear_bit(PG_writeback, &page->flags);
	atomic_dec(&nr_writeback);
	if (waitqueue_active(wq))
		wake_up_all(wq);
	put_page(page);
}

void folio_wait_writeback(struct page *page)
{
	if (PageWriteback(page))
		wait_event(*folio_waitqueue(page), !PageWriteback(page));
}

static int __init pagecache_init(void)
{
	for (int i = 0; i < PAGE_WAIT_TABLE_SIZE; i++)
		init_waitqueue_head(&folio_wait_table[i]);
	return 0;
}
early_initcall(pagecache_init);
