/* SPDX-License-Identifier: GPL-2.0-only */
/* Blocks of a disk by number: they are cached in pages of the disk's inode. */
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <trace/events/block.h>

static inline pgoff_t block_to_index(struct block_device *bdev, sector_t block)
{
	return block >> (PAGE_SHIFT - bdev->bd_inode->i_blkbits);
}

static struct buffer_head *__find_get_block_slow(struct block_device *bdev,
						 sector_t block)
{
	struct address_space *mapping = bdev->bd_inode->i_mapping;
	struct buffer_head *head, *bh, *found = NULL;
	struct page *page;

	page = find_get_page(mapping, block_to_index(bdev, block));
	if (!page)
		return NULL;
	spin_lock(&mapping->private_lock);
	if (page_has_buffers(page)) {
		bh = head = page_buffers(page);
		do {
			if (buffer_mapped(bh) && bh->b_blocknr == block) {
				get_bh(bh);
				found = bh;
				break;
			}
			bh = bh->b_this_page;
		} while (bh != head);
	}
	spin_unlock(&mapping->private_lock);
	put_page(page);
	return found;
}

static inline void touch_buffer(struct buffer_head *bh)
{
	trace_block_touch_buffer(bh);
	mark_page_accessed(bh->b_page);
}

/* Only if it is cached; NULL otherwise. */
struct buffer_head *__find_get_block(struct block_device *bdev, sector_t block,
				     unsigned int size)
{
	struct buffer_head *bh = __find_get_block_slow(bdev, block);

	if (bh && bh->b_size != size) {
		brelse(bh);
		bh = NULL;
	}
	if (bh)
		touch_buffer(bh);
	return bh;
}

/* Gives the buffers of a disk's page their numbers, as far as it goes. */
static void init_page_buffers(struct page *page, struct block_device *bdev,
			      sector_t block, unsigned int size)
{
	struct buffer_head *head = page_buffers(page), *bh = head;
	sector_t end = bdev_nr_bytes(bdev) / size;

	do {
		if (!buffer_mapped(bh)) {
			bh->b_bdev = bdev;
			bh->b_blocknr = block;
			if (PageUptodate(page))
				set_buffer_uptodate(bh);
			if (block < end)
				set_buffer_mapped(bh);
		}
		block++;
		bh = bh->b_this_page;
	} while (bh != head);
}

/* 0, -ENOMEM, or -ENXIO: there is no such block. */
static int grow_dev_page(struct block_device *bdev, sector_t block,
			 pgoff_t index, unsigned int size)
{
	struct address_space *mapping = bdev->bd_inode->i_mapping;
	unsigned int blocks = PAGE_SIZE / size;
	struct page *page;
	int err = 0;

	page = find_or_create_page(mapping, index, GFP_NOFS);
	if (!page)
		return -ENOMEM;
	if (page_has_buffers(page) && page_buffers(page)->b_size != size)
		try_to_free_buffers(page);
	if (!page_has_buffers(page))
		create_empty_buffers(page, size, 0);
	if (!page_has_buffers(page))
		err = -ENOMEM;
	else if (page_buffers(page)->b_size != size)
		err = -EIO;
	else
		init_page_buffers(page, bdev, (sector_t)index * blocks, size);
	folio_unlock(page);
	put_page(page);
	return err;
}

static int grow_buffers(struct block_device *bdev, sector_t block,
			unsigned int size)
{
	if (block >= bdev_nr_bytes(bdev) / size)
		return -ENXIO;
	return grow_dev_page(bdev, block, block / (PAGE_SIZE / size), size);
}

static struct buffer_head *__getblk_slow(struct block_device *bdev,
					 sector_t block, unsigned int size)
{
	struct buffer_head *bh;

	if (size != 1u << bdev->bd_inode->i_blkbits)
		return NULL;
	for (;;) {
		bh = __find_get_block(bdev, block, size);
		if (bh)
			return bh;
		if (grow_buffers(bdev, block, size))
			return NULL;
	}
}

/* Maybe not read yet. NULL if there is no such block, or no memory. */
struct buffer_head *__getblk_gfp(struct block_device *bdev, sector_t block,
				 unsigned int size, gfp_t gfp)
{
	struct buffer_head *bh = __find_get_block(bdev, block, size);

	return bh ? bh : __getblk_slow(bdev, block, size);
}

static struct buffer_head *__bread_slow(struct buffer_head *bh)
{
	lock_buffer(bh);
	if (buffer_uptodate(bh)) {
		unlock_buffer(bh);
		return bh;
	}
	get_bh(bh);
	bh->b_end_io = end_buffer_read_sync;
	submit_bh(REQ_OP_READ, bh);
	wait_on_buffer(bh);
	if (buffer_uptodate(bh))
		return bh;
	brelse(bh);
	return NULL;
}

struct buffer_head *__bread_gfp(struct block_device *bdev, sector_t block,
				unsigned int size, gfp_t gfp)
{
	struct buffer_head *bh = __getblk_gfp(bdev, block, size, gfp);

	if (bh && !buffer_uptodate(bh))
		bh = __bread_slow(bh);
	return bh;
}

/* Its block will be written some time, and so will its page. */
void mark_buffer_dirty(struct buffer_head *bh)
{
	struct page *page = bh->b_page;
	struct address_space *mapping;

	trace_block_dirty_buffer(bh);
	if (buffer_dirty(bh) || test_set_buffer_dirty(bh))
		return;
	if (TestSetPageDirty(page))
		return;
	mapping = page->mapping;
	if (mapping)
		__mark_inode_dirty(mapping->host, I_DIRTY_PAGES);
}

/* The block has been freed: what it held need not be written. */
void __bforget(struct buffer_head *bh)
{
	clear_buffer_dirty(bh);
	brelse(bh);
}

/*
 * A file gets a block whose old contents may still be in the disk's own cache:
 * they must not be written over the file's.
 */
void clean_bdev_bh_alias(struct buffer_head *bh)
{
	struct buffer_head *alias;

	alias = __find_get_block_slow(bh->b_bdev, bh->b_blocknr);
	if (!alias)
		return;
	lock_buffer(alias);
	clear_buffer_dirty(alias);
	clear_buffer_uptodate(alias);
	ClearPageUptodate(alias->b_page);
	unlock_buffer(alias);
	brelse(alias);
}
