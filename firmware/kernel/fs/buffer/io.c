/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading and writing single buffers, and what happens when that ends. */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/wait_bit.h>
#include <linux/writeback.h>

/* Sleeps until the buffer is locked. */
void __lock_buffer(struct buffer_head *bh)
{
	__wait_on_bit_lock_io(&bh->b_state, BH_Lock);
}

void unlock_buffer(struct buffer_head *bh)
{
	clear_and_wake_up_bit(BH_Lock, &bh->b_state);
}

void __wait_on_buffer(struct buffer_head *bh)
{
	__wait_on_bit_io(&bh->b_state, BH_Lock);
}

static void end_bio_bh_io_sync(struct bio *bio)
{
	struct buffer_head *bh = bio->bi_private;

	bh->b_end_io(bh, !bio->bi_status);
	bio_put(bio);
}

/*
 * Called with the buffer locked and mapped; b_end_io is called, maybe in a
 * softirq, when it is done, and unlocks it.
 */
static void submit_bh_wbc(blk_opf_t opf, struct buffer_head *bh)
{
	struct bio *bio;

	if (op_is_write(opf & REQ_OP_MASK))
		clear_buffer_write_io_error(bh);
	if (buffer_meta(bh))
		opf |= REQ_META | REQ_PRIO;
	bio = bio_alloc(bh->b_bdev, 1, opf, GFP_NOIO);
	if (!bio) {
		bh->b_end_io(bh, 0);
		return;
	}
	bio->bi_iter.bi_sector = bh->b_blocknr * (bh->b_size >> SECTOR_SHIFT);
	bio_add_page(bio, bh->b_page, bh->b_size, bh_offset(bh));
	bio->bi_end_io = end_bio_bh_io_sync;
	bio->bi_private = bh;
	submit_bio(bio);
}

void submit_bh(blk_opf_t opf, struct buffer_head *bh)
{
	submit_bh_wbc(opf, bh);
}

static void __end_buffer_read_notouch(struct buffer_head *bh, int uptodate)
{
	if (uptodate)
		set_buffer_uptodate(bh);
	else
		clear_buffer_uptodate(bh);
	unlock_buffer(bh);
}

/* Of one that its reader waits for; ends the reference of the I/O. */
void end_buffer_read_sync(struct buffer_head *bh, int uptodate)
{
	__end_buffer_read_notouch(bh, uptodate);
	put_bh(bh);
}

static void buffer_io_error(struct buffer_head *bh, const char *what)
{
	pr_warn("Buffer I/O error on dev %s, logical block %llu, %s\n",
		bdevname(bh->b_bdev), bh->b_blocknr, what);
}

static void mark_buffer_write_io_error(struct buffer_head *bh)
{
	set_buffer_write_io_error(bh);
	if (bh->b_page->mapping)
		mapping_set_error(bh->b_page->mapping, -EIO);
}

void end_buffer_write_sync(struct buffer_head *bh, int uptodate)
{
	if (uptodate) {
		set_buffer_uptodate(bh);
	} else {
		buffer_io_error(bh, "lost sync page write");
		mark_buffer_write_io_error(bh);
		clear_buffer_uptodate(bh);
	}
	unlock_buffer(bh);
	put_bh(bh);
}

/*
 * Whether this was the last buffer of its page under I/O of that kind. Unlocks
 * the buffer. In any context but NMI.
 */
static bool last_async_buffer(struct buffer_head *bh, int bit, bool *all_valid)
{
	struct buffer_head *first = page_buffers(bh->b_page), *b;
	unsigned long flags;
	bool last = true;

	*all_valid = true;
	spin_lock_irqsave(&first->b_uptodate_lock, flags);
	clear_bit(bit, &bh->b_state);
	unlock_buffer(bh);
	for (b = bh->b_this_page; b != bh; b = b->b_this_page) {
		if (test_bit(bit, &b->b_state))
			last = false;
		if (!buffer_uptodate(b))
			*all_valid = false;
	}
	spin_unlock_irqrestore(&first->b_uptodate_lock, flags);
	if (!buffer_uptodate(bh))
		*all_valid = false;
	return last;
}

static void end_buffer_async_read(struct buffer_head *bh, int uptodate)
{
	struct page *page = bh->b_page;
	bool all_valid;

	if (uptodate) {
		set_buffer_uptodate(bh);
	} else {
		clear_buffer_uptodate(bh);
		buffer_io_error(bh, "async page read");
		SetPageError(page);
	}
	if (!last_async_buffer(bh, BH_Async_Read, &all_valid))
		return;
	if (all_valid)
		SetPageUptodate(page);
	folio_unlock(page);
}

static void end_buffer_async_write(struct buffer_head *bh, int uptodate)
{
	struct page *page = bh->b_page;
	bool all_valid;

	if (uptodate) {
		set_buffer_uptodate(bh);
	} else {
		buffer_io_error(bh, "lost async page write");
		mark_buffer_write_io_error(bh);
		clear_buffer_uptodate(bh);
		SetPageError(page);
	}
	if (last_async_buffer(bh, BH_Async_Write, &all_valid))
		folio_end_writeback(page);
}

void mark_buffer_async_read(struct buffer_head *bh)
{
	bh->b_end_io = end_buffer_async_read;
	set_buffer_async_read(bh);
}

void mark_buffer_async_write(struct buffer_head *bh)
{
	bh->b_end_io = end_buffer_async_write;
	set_buffer_async_write(bh);
}

/*
 * Writes it if it is dirty, and sleeps until that is done. With a reference,
 * the buffer not locked.
 */
int sync_dirty_buffer(struct buffer_head *bh)
{
	lock_buffer(bh);
	if (!test_clear_buffer_dirty(bh)) {
		unlock_buffer(bh);
		return 0;
	}
	if (!buffer_mapped(bh)) {
		unlock_buffer(bh);
		return -EIO;
	}
	get_bh(bh);
	bh->b_end_io = end_buffer_write_sync;
	submit_bh(REQ_OP_WRITE | REQ_SYNC, bh);
	wait_on_buffer(bh);
	return buffer_uptodate(bh) ? 0 : -EIO;
}
