/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting for pages: they share a few queues. Of those who want to lock one,
 * one is woken: it will wake the next.
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/wait.h>
#include <linux/wait_bit.h>
#include <linux/writeback.h>
#include <trace/events/writeback.h>

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

struct wait_page_key {
	struct page *page;
	int bit_nr;
};

struct wait_page_queue {
	struct wait_page_key key;
	wait_queue_entry_t wait;
};

static int wake_page_function(wait_queue_entry_t *wait, unsigned int mode,
			      int flags, void *arg)
{
	struct wait_page_queue *wait_page =
		container_of(wait, struct wait_page_queue, wait);
	const struct wait_page_key *key = arg;

	if (wait_page->key.page != key->page ||
	    wait_page->key.bit_nr != key->bit_nr)
		return 0;
	return autoremove_wake_function(wait, mode, flags, arg);
}

static void folio_wake_bit(struct page *page, int bit_nr)
{
	struct wait_page_key key = { .page = page, .bit_nr = bit_nr };
	wait_queue_head_t *wq = folio_waitqueue(page);

	if (waitqueue_active(wq))
		__wake_up(wq, TASK_NORMAL, 1, &key);
}

/*
 * Until the bit is clear, or, with @lock, until the page is locked. With a
 * reference to the page; sleeps.
 */
static void __sched folio_wait_bit_common(struct page *page, int bit_nr,
					  bool lock)
{
	wait_queue_head_t *wq = folio_waitqueue(page);
	struct wait_page_queue wait_page = {
		.key = { .page = page, .bit_nr = bit_nr },
		.wait = {
			.flags = lock ? WQ_FLAG_EXCLUSIVE : 0,
			.private = current,
			.func = wake_page_function,
			.entry = LIST_HEAD_INIT(wait_page.wait.entry),
		},
	};

	for (;;) {
		prepare_to_wait_event(wq, &wait_page.wait,
				      TASK_UNINTERRUPTIBLE);
		if (lock ? folio_trylock(page) :
			   !test_bit(bit_nr, &page->flags))
			break;
		io_schedule();
	}
	finish_wait(wq, &wait_page.wait);
}

void __folio_lock(struct page *page)
{
	folio_wait_bit_common(page, PG_locked, true);
}

/*
 * By whoever has locked it, or in a softirq by the end of its I/O; does not
 * sleep.
 */
void folio_unlock(struct page *page)
{
	note_release(&page->unlocked);
	clear_bit(PG_locked, &page->flags);
	folio_wake_bit(page, PG_locked);
}

void folio_wait_locked(struct page *page)
{
	if (PageLocked(page))
		folio_wait_bit_common(page, PG_locked, false);
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

/* In a softirq, or by whoever started it; the page may be gone afterwards. */
void folio_end_writeback(struct page *page)
{
	clear_bit(PG_writeback, &page->flags);
	atomic_dec(&nr_writeback);
	folio_wake_bit(page, PG_writeback);
	put_page(page);
}

void folio_wait_writeback(struct page *page)
{
	if (PageWriteback(page)) {
		trace_folio_wait_writeback(page, page->mapping);
		folio_wait_bit_common(page, PG_writeback, false);
	}
}

static int __init pagecache_init(void)
{
	for (int i = 0; i < PAGE_WAIT_TABLE_SIZE; i++)
		init_waitqueue_head(&folio_wait_table[i]);
	return 0;
}
early_initcall(pagecache_init);
