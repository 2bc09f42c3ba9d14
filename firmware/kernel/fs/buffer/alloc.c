/* SPDX-License-Identifier: GPL-2.0-only */
/* The buffers of a page: making them, dirtying them, letting them go. */
#include <linux/buffer_head.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>

static struct kmem_cache *bh_cachep;

struct buffer_head *alloc_buffer_head(gfp_t gfp)
{
	struct buffer_head *bh = kmem_cache_zalloc(bh_cachep, gfp);

	if (bh)
		spin_lock_init(&bh->b_uptodate_lock);
	return bh;
}

static void free_buffer_head(struct buffer_head *bh)
{
	kmem_cache_free(bh_cachep, bh);
}

/* A list, not yet circular, in the page's order; NULL without memory. */
struct buffer_head *alloc_page_buffers(struct page *page, unsigned long size)
{
	struct buffer_head *bh, *head = NULL;
	long offset = PAGE_SIZE;

	while ((offset -= size) >= 0) {
		bh = alloc_buffer_head(GFP_NOFS);
		if (!bh)
			goto no_grow;
		bh->b_this_page = head;
		bh->b_size = size;
		bh->b_page = page;
		bh->b_data = (char *)page_address(page) + offset;
		head = bh;
	}
	return head;

no_grow:
	while (head) {
		bh = head;
		head = head->b_this_page;
		free_buffer_head(bh);
	}
	return NULL;
}

static void attach_page_private(struct page *page, void *data)
{
	get_page(page);
	page->private = data;
	SetPagePrivate(page);
}

static void *detach_page_private(struct page *page)
{
	void *data = page->private;

	ClearPagePrivate(page);
	page->private = NULL;
	put_page(page);
	return data;
}

/* The page is locked. It may end without buffers: no memory. */
void create_empty_buffers(struct page *page, unsigned long size,
			  unsigned long state)
{
	struct buffer_head *bh, *head, *tail = NULL;

	head = alloc_page_buffers(page, size);
	if (!head)
		return;
	for (bh = head; bh; bh = bh->b_this_page) {
		bh->b_state |= state;
		tail = bh;
	}
	tail->b_this_page = head;
	spin_lock(&page->mapping->private_lock);
	if (PageUptodate(page) || PageDirty(page)) {
		bh = head;
		do {
			if (PageDirty(page))
				set_buffer_dirty(bh);
			if (PageUptodate(page))
				set_buffer_uptodate(bh);
			bh = bh->b_this_page;
		} while (bh != head);
	}
	attach_page_private(page, head);
	spin_unlock(&page->mapping->private_lock);
}

static bool buffer_busy(struct buffer_head *bh)
{
	return atomic_read(&bh->b_count) || buffer_dirty(bh) ||
	       buffer_locked(bh);
}

/* Takes the buffers off the page unless one is in use. */
static bool drop_buffers(struct page *page, struct buffer_head **to_free)
{
	struct buffer_head *head = page_buffers(page), *bh = head;

	do {
		if (buffer_busy(bh))
			return false;
		bh = bh->b_this_page;
	} while (bh != head);
	*to_free = head;
	detach_page_private(page);
	return true;
}

/* The page is locked, with a reference besides the buffers'. */
int try_to_free_buffers(struct page *page)
{
	struct address_space *mapping = page->mapping;
	struct buffer_head *head = NULL, *bh;
	bool dropped;

	if (PageWriteback(page))
		return 0;
	spin_lock(&mapping->private_lock);
	dropped = drop_buffers(page, &head);
	/* Clean buffers make a clean page. */
	if (dropped)
		folio_cancel_dirty(page);
	spin_unlock(&mapping->private_lock);
	if (!dropped)
		return 0;
	bh = head;
	do {
		struct buffer_head *next = bh->b_this_page;

		free_buffer_head(bh);
		bh = next;
	} while (bh != head);
	return 1;
}

/* It will never be written, nor does it stand for a block any more. */
static void discard_buffer(struct buffer_head *bh)
{
	lock_buffer(bh);
	clear_buffer_dirty(bh);
	bh->b_bdev = NULL;
	clear_buffer_mapped(bh);
	clear_buffer_new(bh);
	unlock_buffer(bh);
}

/* The page, which is locked, has no data in the range any more. */
void block_invalidate_folio(struct page *page, size_t offset, size_t length)
{
	struct buffer_head *head, *bh;
	size_t at = 0;

	if (!page_has_buffers(page))
		return;
	bh = head = page_buffers(page);
	do {
		if (at >= offset && at + bh->b_size <= offset + length)
			discard_buffer(bh);
		at += bh->b_size;
		bh = bh->b_this_page;
	} while (bh != head);
	if (length == PAGE_SIZE)
		try_to_free_buffers(page);
}

/* Somebody has written to the page by its mapping. */
bool block_dirty_folio(struct address_space *mapping, struct page *page)
{
	bool newly_dirty;

	spin_lock(&mapping->private_lock);
	if (page_has_buffers(page)) {
		struct buffer_head *head = page_buffers(page), *bh = head;

		do {
			set_buffer_dirty(bh);
			bh = bh->b_this_page;
		} while (bh != head);
	}
	newly_dirty = !TestSetPageDirty(page);
	spin_unlock(&mapping->private_lock);
	if (newly_dirty)
		__mark_inode_dirty(mapping->host, I_DIRTY_PAGES);
	return newly_dirty;
}

static int __init buffer_init(void)
{
	bh_cachep = KMEM_CACHE(buffer_head, SLAB_PANIC);
	return 0;
}
core_initcall(buffer_init);
