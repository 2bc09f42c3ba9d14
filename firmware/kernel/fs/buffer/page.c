/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of files that are made of a disk's blocks: reading, writing them. */
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/writeback.h>

#define MAX_BUF_PER_PAGE	(PAGE_SIZE / SECTOR_SIZE)

/* NULL: no memory. */
static struct buffer_head *folio_create_buffers(struct page *page,
						struct inode *inode,
						unsigned long state)
{
	if (!page_has_buffers(page))
		create_empty_buffers(page, 1UL << inode->i_blkbits, state);
	return page_has_buffers(page) ? page_buffers(page) : NULL;
}

static inline sector_t first_block(struct page *page, struct inode *inode)
{
	return (sector_t)page->index << (PAGE_SHIFT - inode->i_blkbits);
}

/* The page is locked; it is unlocked when it has been read, or could not. */
int block_read_full_folio(struct page *page, get_block_t *get_block)
{
	struct inode *inode = page->mapping->host;
	struct buffer_head *head, *bh, *todo[MAX_BUF_PER_PAGE];
	sector_t block = first_block(page, inode), last;
	unsigned int i, nr = 0;
	bool failed = false;

	head = folio_create_buffers(page, inode, 0);
	if (!head) {
		folio_unlock(page);
		return -ENOMEM;
	}
	last = DIV_ROUND_UP((u64)i_size_read(inode), head->b_size);
	bh = head;
	do {
		if (buffer_uptodate(bh))
			continue;
		if (!buffer_mapped(bh)) {
			int err = 0;

			if (block < last)
				err = get_block(inode, block, bh, 0);
			if (err)
				failed = true;
			if (!buffer_mapped(bh)) {
				memset(bh->b_data, 0, bh->b_size);
				if (!err)
					set_buffer_uptodate(bh);
				continue;
			}
			if (buffer_uptodate(bh))
				continue;
		}
		todo[nr++] = bh;
	} while (block++, (bh = bh->b_this_page) != head);

	if (!nr) {
		/* A hole, or what could not be found. */
		if (failed)
			SetPageError(page);
		else
			SetPageUptodate(page);
		folio_unlock(page);
		return failed ? -EIO : 0;
	}
	for (i = 0; i < nr; i++) {
		lock_buffer(todo[i]);
		mark_buffer_async_read(todo[i]);
	}
	for (i = 0; i < nr; i++) {
		if (buffer_uptodate(todo[i]))
			todo[i]->b_end_io(todo[i], 1);
		else
			submit_bh(REQ_OP_READ, todo[i]);
	}
	return 0;
}

/* Finds or makes the blocks of the dirty buffers. */
static int map_dirty_buffers(struct page *page, struct buffer_head *head,
			     get_block_t *get_block)
{
	struct inode *inode = page->mapping->host;
	sector_t block = first_block(page, inode);
	sector_t last = DIV_ROUND_UP((u64)i_size_read(inode), head->b_size);
	struct buffer_head *bh = head;
	int err, ret = 0;

	do {
		if (block >= last) {
			/* Beyond the end: the page has been zeroed there. */
			clear_buffer_dirty(bh);
			set_buffer_uptodate(bh);
		} else if (!buffer_mapped(bh) && buffer_dirty(bh)) {
			err = get_block(inode, block, bh, 1);
			if (err) {
				/* It has no place: its data are lost. */
				ret = err;
				clear_buffer_dirty(bh);
			} else if (buffer_new(bh)) {
				clear_buffer_new(bh);
				clean_bdev_bh_alias(bh);
			}
		}
		block++;
		bh = bh->b_this_page;
	} while (bh != head);
	return ret;
}

/* The page is locked and clean; it is unlocked when its I/O is on the way. */
int __block_write_full_page(struct page *page, get_block_t *get_block,
			    struct writeback_control *wbc)
{
	blk_opf_t opf = REQ_OP_WRITE;
	struct inode *inode = page->mapping->host;
	struct buffer_head *head, *bh, *todo[MAX_BUF_PER_PAGE];
	unsigned int i, nr = 0;
	int err;

	if (wbc->sync_mode == WB_SYNC_ALL)
		opf |= REQ_SYNC;
	head = folio_create_buffers(page, inode,
				    1 << BH_Dirty | 1 << BH_Uptodate);
	if (!head) {
		folio_mark_dirty(page);
		folio_unlock(page);
		return -ENOMEM;
	}
	err = map_dirty_buffers(page, head, get_block);
	if (err) {
		SetPageError(page);
		mapping_set_error(page->mapping, err);
	}
	bh = head;
	do {
		if (buffer_mapped(bh)) {
			lock_buffer(bh);
			if (test_clear_buffer_dirty(bh)) {
				mark_buffer_async_write(bh);
				todo[nr++] = bh;
			} else {
				unlock_buffer(bh);
			}
		}
		bh = bh->b_this_page;
	} while (bh != head);

	folio_start_writeback(page);
	for (i = 0; i < nr; i++)
		submit_bh(opf, todo[i]);
	folio_unlock(page);
	if (!nr)
		folio_end_writeback(page);
	return err;
}

int block_write_full_page(struct page *page, get_block_t *get_block,
			  struct writeback_control *wbc)
{
	struct inode *inode = page->mapping->host;
	loff_t size = i_size_read(inode);
	unsigned int offset = offset_in_page(size);

	if (page->index > size >> PAGE_SHIFT ||
	    (page->index == size >> PAGE_SHIFT && !offset)) {
		folio_unlock(page);	/* truncated meanwhile */
		return 0;
	}
	/* What a mapping has written beyond the end is not the file's. */
	if (page->index == size >> PAGE_SHIFT)
		memset((char *)page_address(page) + offset, 0,
		       PAGE_SIZE - offset);
	return __block_write_full_page(page, get_block, wbc);
}

/* Blocks that are new and will not be written wholly: zeroes elsewhere. */
static void zero_new_buffer(struct page *page, struct buffer_head *bh,
			    unsigned int start, unsigned int from,
			    unsigned int to)
{
	char *data = page_address(page);
	unsigned int end = start + bh->b_size;

	if (to < end)
		memset(data + to, 0, end - to);
	if (start < from)
		memset(data + start, 0, from - start);
}

/* What could not be written after all must not show old data of the disk. */
static void page_zero_new_buffers(struct page *page, unsigned int from,
				  unsigned int to)
{
	struct buffer_head *head = page_buffers(page), *bh = head;
	unsigned int start = 0;

	do {
		unsigned int end = start + bh->b_size;

		if (buffer_new(bh) && end > from && start < to) {
			if (!PageUptodate(page)) {
				unsigned int a = max(from, start);

				memset((char *)page_address(page) + a, 0,
				       min(to, end) - a);
				set_buffer_uptodate(bh);
			}
			clear_buffer_new(bh);
			mark_buffer_dirty(bh);
		}
		start = end;
		bh = bh->b_this_page;
	} while (bh != head);
}

/*
 * The page, which is locked, is about to get new contents in that range: what
 * else is in its blocks must be there.
 */
int __block_write_begin(struct page *page, loff_t pos, unsigned int len,
			get_block_t *get_block)
{
	unsigned int from = offset_in_page(pos), to = from + len, start = 0;
	struct inode *inode = page->mapping->host;
	sector_t block = first_block(page, inode);
	struct buffer_head *head, *bh, *wait[2];
	int err = 0, nr = 0, i;

	head = folio_create_buffers(page, inode, 0);
	if (!head)
		return -ENOMEM;
	bh = head;
	do {
		unsigned int end = start + bh->b_size;

		if (end <= from || start >= to) {
			if (PageUptodate(page))
				set_buffer_uptodate(bh);
			continue;
		}
		clear_buffer_new(bh);
		if (!buffer_mapped(bh)) {
			err = get_block(inode, block, bh, 1);
			if (err)
				break;
			if (buffer_new(bh)) {
				clean_bdev_bh_alias(bh);
				if (PageUptodate(page)) {
					clear_buffer_new(bh);
					set_buffer_uptodate(bh);
					mark_buffer_dirty(bh);
					continue;
				}
				zero_new_buffer(page, bh, start, from, to);
				continue;
			}
		}
		if (PageUptodate(page)) {
			set_buffer_uptodate(bh);
			continue;
		}
		if (!buffer_uptodate(bh) && (start < from || end > to)) {
			lock_buffer(bh);
			get_bh(bh);
			bh->b_end_io = end_buffer_read_sync;
			submit_bh(REQ_OP_READ, bh);
			wait[nr++] = bh;
		}
	} while (start += bh->b_size, block++, (bh = bh->b_this_page) != head);

	for (i = 0; i < nr; i++) {
		wait_on_buffer(wait[i]);
		if (!buffer_uptodate(wait[i]))
			err = -EIO;
	}
	if (err)
		page_zero_new_buffers(page, from, to);
	return err;
}

/* *pagep: locked, with a reference. */
int block_write_begin(struct address_space *mapping, loff_t pos,
		      unsigned int len, struct page **pagep,
		      get_block_t *get_block)
{
	struct page *page;
	int err;

	page = grab_cache_page_write_begin(mapping, pos >> PAGE_SHIFT);
	if (!page)
		return -ENOMEM;
	err = __block_write_begin(page, pos, len, get_block);
	if (err) {
		folio_unlock(page);
		put_page(page);
		page = NULL;
	}
	*pagep = page;
	return err;
}

static void __block_commit_write(struct page *page, unsigned int from,
				 unsigned int to)
{
	struct buffer_head *head = page_buffers(page), *bh = head;
	unsigned int start = 0;
	bool partial = false;

	do {
		unsigned int end = start + bh->b_size;

		if (end <= from || start >= to) {
			if (!buffer_uptodate(bh))
				partial = true;
		} else {
			set_buffer_uptodate(bh);
			mark_buffer_dirty(bh);
		}
		clear_buffer_new(bh);
		start = end;
		bh = bh->b_this_page;
	} while (bh != head);
	if (!partial)
		SetPageUptodate(page);
}

int block_write_end(struct file *file, struct address_space *mapping,
		    loff_t pos, unsigned int len, unsigned int copied,
		    struct page *page, void *fsdata)
{
	unsigned int start = offset_in_page(pos);

	if (copied < len) {
		/* The rest of its buffers may never have been read. */
		if (!PageUptodate(page))
			copied = 0;
		page_zero_new_buffers(page, start + copied, start + len);
	}
	__block_commit_write(page, start, start + copied);
	return copied;
}

int generic_write_end(struct file *file, struct address_space *mapping,
		      loff_t pos, unsigned int len, unsigned int copied,
		      struct page *page, void *fsdata)
{
	struct inode *inode = mapping->host;
	bool grown = false;

	copied = block_write_end(file, mapping, pos, len, copied, page, fsdata);
	if (pos + copied > inode->i_size) {
		i_size_write(inode, pos + copied);
		grown = true;
	}
	folio_unlock(page);
	put_page(page);
	if (grown)
		mark_inode_dirty(inode);
	return copied;
}

/* Zeroes what is left of the block in which the file is about to end. */
int block_truncate_page(struct address_space *mapping, loff_t from,
			get_block_t *get_block)
{
	struct inode *inode = mapping->host;
	unsigned int size = 1u << inode->i_blkbits;
	unsigned int offset = offset_in_page(from);
	unsigned int length = -from & (size - 1);
	struct buffer_head *bh;
	struct page *page;
	sector_t block;
	int err = 0;

	if (!length)
		return 0;
	page = find_or_create_page(mapping, from >> PAGE_SHIFT, GFP_NOFS);
	if (!page)
		return -ENOMEM;
	bh = folio_create_buffers(page, inode, 0);
	if (!bh) {
		err = -ENOMEM;
		goto unlock;
	}
	for (block = first_block(page, inode);
	     block < (sector_t)from >> inode->i_blkbits; block++)
		bh = bh->b_this_page;
	if (!buffer_mapped(bh)) {
		err = get_block(inode, block, bh, 0);
		if (err || !buffer_mapped(bh))
			goto unlock;	/* a hole has zeroes anyway */
	}
	if (PageUptodate(page))
		set_buffer_uptodate(bh);
	if (!buffer_uptodate(bh)) {
		lock_buffer(bh);
		get_bh(bh);
		bh->b_end_io = end_buffer_read_sync;
		submit_bh(REQ_OP_READ, bh);
		wait_on_buffer(bh);
		if (!buffer_uptodate(bh)) {
			err = -EIO;
			goto unlock;
		}
	}
	memset((char *)page_address(page) + offset, 0, length);
	mark_buffer_dirty(bh);
unlock:
	folio_unlock(page);
	put_page(page);
	return err;
}

/* 0: a hole. */
sector_t generic_block_bmap(struct address_space *mapping, sector_t block,
			    get_block_t *get_block)
{
	struct buffer_head bh = { .b_size = 1UL << mapping->host->i_blkbits };

	if (get_block(mapping->host, block, &bh, 0))
		return 0;
	return bh.b_blocknr;
}
