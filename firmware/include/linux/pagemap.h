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
void truncate_setsize(struct inode *inode, loff_t size);
void truncate_inode_pages(struct address_space *mapping, loff_t start);

ssize_t generic_file_read_iter(struct kiocb *iocb, struct iov_iter *to);
ssize_t __generic_file_write_iter(struct kiocb *iocb, struct iov_iter *from);
ssize_t generic_file_write_iter(struct kiocb *iocb, struct iov_iter *from);
int generic_file_mmap(struct file *file, struct vm_area_struct *vma);

#endif
