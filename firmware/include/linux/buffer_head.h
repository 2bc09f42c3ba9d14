/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffer heads: a block of a disk, and where in a page of the cache it is. */
#ifndef _LINUX_BUFFER_HEAD_H
#define _LINUX_BUFFER_HEAD_H

#include <linux/bitops.h>
#include <linux/blk_types.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/pagemap.h>
#include <linux/wait_bit.h>

struct writeback_control;

enum bh_state_bits {
	BH_Uptodate,		/* holds what the disk holds, or newer */
	BH_Dirty,		/* newer */
	BH_Lock,		/* I/O is under way */
	BH_Mapped,		/* b_blocknr is known */
	BH_New,			/* allocated just now */
	BH_Async_Read,		/* of a page that is being read */
	BH_Async_Write,		/* of a page that is being written */
	BH_Write_EIO,		/* could not be written */
	BH_Meta,
};

struct buffer_head;
typedef void (bh_end_io_t)(struct buffer_head *bh, int uptodate);
/* Finds block @block of a file, or with @create makes it. */
typedef int (get_block_t)(struct inode *inode, sector_t block,
			  struct buffer_head *bh, int create);

struct buffer_head {
	unsigned long		b_state;
	struct buffer_head	*b_this_page;	/* circular */
	struct page		*b_page;
	sector_t		b_blocknr;
	size_t			b_size;
	char			*b_data;
	struct block_device	*b_bdev;
	bh_end_io_t		*b_end_io;
	atomic_t		b_count;
	spinlock_t		b_uptodate_lock; /* of a page's first: its I/O */
};

#define BUFFER_FNS(bit, name)						\
static inline void set_buffer_##name(struct buffer_head *bh)		\
{									\
	if (!test_bit(BH_##bit, &bh->b_state))				\
		set_bit(BH_##bit, &bh->b_state);			\
}									\
static inline void clear_buffer_##name(struct buffer_head *bh)		\
{									\
	clear_bit(BH_##bit, &bh->b_state);				\
}									\
static inline bool buffer_##name(const struct buffer_head *bh)		\
{									\
	return test_bit(BH_##bit, &bh->b_state);			\
}									\
static inline bool test_set_buffer_##name(struct buffer_head *bh)	\
{									\
	return test_and_set_bit(BH_##bit, &bh->b_state);		\
}									\
static inline bool test_clear_buffer_##name(struct buffer_head *bh)	\
{									\
	return test_and_clear_bit(BH_##bit, &bh->b_state);		\
}

BUFFER_FNS(Uptodate, uptodate)
BUFFER_FNS(Dirty, dirty)
BUFFER_FNS(Lock, locked)
BUFFER_FNS(Mapped, mapped)
BUFFER_FNS(New, new)
BUFFER_FNS(Async_Read, async_read)
BUFFER_FNS(Async_Write, async_write)
BUFFER_FNS(Write_EIO, write_io_error)
BUFFER_FNS(Meta, meta)

#define page_has_buffers(page)	PagePrivate(page)
#define page_buffers(page)	((struct buffer_head *)(page)->private)
#define bh_offset(bh)		offset_in_page((bh)->b_data)

static inline void get_bh(struct buffer_head *bh)
{
	atomic_inc(&bh->b_count);
}

static inline void put_bh(struct buffer_head *bh)
{
	atomic_dec(&bh->b_count);
}

static inline void brelse(struct buffer_head *bh)
{
	if (bh)
		put_bh(bh);
}

/* buffer/buffer.c: blocks of a disk, cached in its own pages */
struct buffer_head *__find_get_block(struct block_device *bdev, sector_t block,
				     unsigned int size);
struct buffer_head *__getblk_gfp(struct block_device *bdev, sector_t block,
				 unsigned int size, gfp_t gfp);
struct buffer_head *__bread_gfp(struct block_device *bdev, sector_t block,
				unsigned int size, gfp_t gfp);
void mark_buffer_dirty(struct buffer_head *bh);
void __bforget(struct buffer_head *bh);
void clean_bdev_bh_alias(struct buffer_head *bh);

static inline void bforget(struct buffer_head *bh)
{
	if (bh)
		__bforget(bh);
}

static inline struct buffer_head *sb_getblk(struct super_block *sb,
					    sector_t block)
{
	return __getblk_gfp(sb->s_bdev, block, sb->s_blocksize, GFP_KERNEL);
}

/* NULL if it cannot be read. */
static inline struct buffer_head *sb_bread(struct super_block *sb,
					   sector_t block)
{
	return __bread_gfp(sb->s_bdev, block, sb->s_blocksize, GFP_KERNEL);
}

static inline void map_bh(struct buffer_head *bh, struct super_block *sb,
			  sector_t block)
{
	set_buffer_mapped(bh);
	bh->b_bdev = sb->s_bdev;
	bh->b_blocknr = block;
	bh->b_size = sb->s_blocksize;
}

/* buffer/alloc.c: a page's buffers */
struct buffer_head *alloc_page_buffers(struct page *page, unsigned long size);
void create_empty_buffers(struct page *page, unsigned long size,
			  unsigned long state);
int try_to_free_buffers(struct page *page);
struct buffer_head *alloc_buffer_head(gfp_t gfp);
void block_invalidate_folio(struct page *page, size_t offset, size_t length);
bool block_dirty_folio(struct address_space *mapping, struct page *page);

/* buffer/io.c */
void __lock_buffer(struct buffer_head *bh);
void unlock_buffer(struct buffer_head *bh);
void __wait_on_buffer(struct buffer_head *bh);
void submit_bh(blk_opf_t opf, struct buffer_head *bh);
void end_buffer_read_sync(struct buffer_head *bh, int uptodate);
void end_buffer_write_sync(struct buffer_head *bh, int uptodate);
int sync_dirty_buffer(struct buffer_head *bh);
void mark_buffer_async_read(struct buffer_head *bh);
void mark_buffer_async_write(struct buffer_head *bh);

static inline bool trylock_buffer(struct buffer_head *bh)
{
	return trylock_on_bit(&bh->b_state, BH_Lock);
}

static inline void lock_buffer(struct buffer_head *bh)
{
	if (!trylock_buffer(bh))
		__lock_buffer(bh);
}

static inline void wait_on_buffer(struct buffer_head *bh)
{
	if (buffer_locked(bh))
		__wait_on_buffer(bh);
}

/* buffer/page.c: pages of files made of blocks */
int block_read_full_folio(struct page *page, get_block_t *get_block);
int block_write_full_page(struct page *page, get_block_t *get_block,
			  struct writeback_control *wbc);
int __block_write_full_page(struct page *page, get_block_t *get_block,
			    struct writeback_control *wbc);
int __block_write_begin(struct page *page, loff_t pos, unsigned int len,
			get_block_t *get_block);
int block_write_begin(struct address_space *mapping, loff_t pos,
		      unsigned int len, struct page **pagep,
		      get_block_t *get_block);
int block_write_end(struct file *file, struct address_space *mapping,
		    loff_t pos, unsigned int len, unsigned int copied,
		    struct page *page, void *fsdata);
int generic_write_end(struct file *file, struct address_space *mapping,
		      loff_t pos, unsigned int len, unsigned int copied,
		      struct page *page, void *fsdata);
int block_truncate_page(struct address_space *mapping, loff_t from,
			get_block_t *get_block);
sector_t generic_block_bmap(struct address_space *mapping, sector_t block,
			    get_block_t *get_block);

#endif
