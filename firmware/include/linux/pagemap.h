/* SPDX-License-Identifier: GPL-2.0-only */
/* The page cache: a file's data as pages. */
#ifndef _LINUX_PAGEMAP_H
#define _LINUX_PAGEMAP_H

#include <linux/fs.h>
#include <linux/mm.h>

/*
 * PG_locked: whoever brings a page's contents, or changes or removes it, holds
 * it. Inode locks are taken before it.
 */
bool folio_trylock(struct page *page);
void __folio_lock(struct page *page);
void folio_unlock(struct page *page);
void folio_wait_locked(struct page *page);

static inline bool PageLocked(struct page *page)
{
	return test_bit(PG_locked, &page->flags);
}

static inline void lock_page(struct page *page)
{
	if (!folio_trylock(page))
		__folio_lock(page);
}

static inline void unlock_page(struct page *page)
{
	folio_unlock(page);
}

static inline void wait_on_page_locked(struct page *page)
{
	if (PageLocked(page))
		folio_wait_locked(page);
}

static inline errseq_t filemap_sample_wb_err(struct address_space *mapping)
{
	return errseq_sample(&mapping->wb_err);
}

/* Waits for the end of a page's I/O; the page is referenced. */
void folio_wait_writeback(struct page *page);
void folio_start_writeback(struct page *page);
void folio_end_writeback(struct page *page);

/* Its pages are nowhere else. */
static inline void mapping_set_unevictable(struct address_space *mapping)
{
	set_bit(AS_UNEVICTABLE, &mapping->flags);
}

static inline bool mapping_unevictable(struct address_space *mapping)
{
	return test_bit(AS_UNEVICTABLE, &mapping->flags);
}

/* For the reclaim of pages that can be read again. */
void folio_add_lru(struct page *page);
void folio_del_lru(struct page *page);
void mark_page_accessed(struct page *page);

/* Whether the page was clean. */
bool TestSetPageDirty(struct page *page);
bool folio_mark_dirty(struct page *page);
bool folio_clear_dirty_for_io(struct page *page);
void folio_cancel_dirty(struct page *page);

/* NULL, or with a reference. */
struct page *find_get_page(struct address_space *mapping, unsigned long index);
struct page *find_get_next(struct address_space *mapping, unsigned long *index);
/* With its contents and a reference, or -EIO, -ENOMEM. */
struct page *read_mapping_page(struct address_space *mapping,
			       unsigned long index);
/* With the mapping's i_pages locked. */
void __filemap_remove_folio(struct page *page);
void filemap_remove_folio(struct address_space *mapping, struct page *page);
void page_cache_sync_readahead(struct address_space *mapping,
			       unsigned long index);
unsigned long invalidate_mapping_pages(struct address_space *mapping,
				       unsigned long start, unsigned long end);

/*
 * The page of a file that holds its bytes from index * PAGE_SIZE, with a
 * reference: NULL beyond the end of the file, ERR_PTR(-ENOMEM), or the page.
 */
struct page *filemap_get_page(struct inode *inode, unsigned long index);
/*
 * Found or new, wherever the file ends, and locked; a new one is not up to
 * date.
 */
struct page *grab_cache_page(struct address_space *mapping,
			     unsigned long index);
/* The same, or NULL: no memory. */
static inline struct page *find_or_create_page(struct address_space *mapping,
					       unsigned long index, gfp_t gfp)
{
	struct page *page = grab_cache_page(mapping, index);

	return IS_ERR(page) ? NULL : page;
}

/* For one that is about to change: its I/O is over. */
static inline struct page *
grab_cache_page_write_begin(struct address_space *mapping, unsigned long index)
{
	struct page *page = find_or_create_page(mapping, index, 0);

	if (page)
		folio_wait_writeback(page);
	return page;
}

/* Text of a symbolic link that is stored as a file's data. */
const char *page_get_link(struct dentry *dentry, struct inode *inode,
			  struct delayed_call *done);
int page_symlink(struct inode *inode, const char *text, int len);

void truncate_setsize(struct inode *inode, loff_t size);
void truncate_pagecache(struct inode *inode, loff_t newsize);
void truncate_inode_pages(struct address_space *mapping, loff_t start);

ssize_t generic_file_read_iter(struct kiocb *iocb, struct iov_iter *to);
ssize_t generic_perform_write(struct kiocb *iocb, struct iov_iter *from);
ssize_t __generic_file_write_iter(struct kiocb *iocb, struct iov_iter *from);
ssize_t generic_file_write_iter(struct kiocb *iocb, struct iov_iter *from);
int generic_file_mmap(struct file *file, struct vm_area_struct *vma);

#endif
