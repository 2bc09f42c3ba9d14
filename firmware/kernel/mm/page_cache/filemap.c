/* SPDX-License-Identifier: GPL-2.0-only */
/* The page cache: reading, writing, mapping and truncating a file's pages. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uio.h>
#include <linux/writeback.h>
#include <asm/cacheflush.h>

#define CREATE_TRACE_POINTS
#include <trace/events/filemap.h>

/*
 * The page with a reference, not locked, maybe not read yet; NULL if there is
 * none. Does not sleep.
 */
struct page *find_get_page(struct address_space *mapping, unsigned long index)
{
	struct page *page;

	xa_lock(&mapping->i_pages);
	page = __xa_load(&mapping->i_pages, index);
	if (page)
		get_page(page);
	xa_unlock(&mapping->i_pages);
	return page;
}

/* Gives @page a second reference: the mapping's. */
static int filemap_add_page(struct address_space *mapping, struct page *page,
			    unsigned long index)
{
	int err;

	xa_lock(&mapping->i_pages);
	err = __xa_insert(&mapping->i_pages, index, page);
	if (!err) {
		get_page(page);
		page->mapping = mapping;
		page->index = index;
		mapping->nrpages++;
		trace_mm_filemap_add_to_page_cache(page);
		folio_add_lru(page);
	}
	xa_unlock(&mapping->i_pages);
	return err;
}

/* Memory for a disk's own pages is needed to write those of files. */
static inline gfp_t mapping_gfp_mask(struct address_space *mapping)
{
	return S_ISBLK(mapping->host->i_mode) ? GFP_NOFS :
						 GFP_HIGHUSER_MOVABLE;
}

/* Finds or creates the page, wherever the file ends. */
static struct page *pagecache_get_page(struct address_space *mapping,
				       unsigned long index)
{
	struct page *page;
	int err;

	for (;;) {
		page = find_get_page(mapping, index);
		if (page)
			return page;
		page = alloc_page(mapping_gfp_mask(mapping));
		if (!page)
			return ERR_PTR(-ENOMEM);
		err = filemap_add_page(mapping, page, index);
		if (!err)
			return page;
		put_page(page);
		if (err != -EBUSY)
			return ERR_PTR(err);
	}
}

/* The page, locked and referenced, and still the file's. May sleep. */
struct page *grab_cache_page(struct address_space *mapping,
			     unsigned long index)
{
	struct page *page;

	for (;;) {
		page = pagecache_get_page(mapping, index);
		if (IS_ERR(page))
			return page;
		lock_page(page);
		if (page->mapping == mapping)
			return page;
		unlock_page(page);	/* truncated meanwhile */
		put_page(page);
	}
}

/*
 * Called with the page locked; whoever brings its contents unlocks it. Sleeps
 * until then.
 */
static int filemap_read_folio(struct file *file, struct page *page)
{
	const struct address_space_operations *a_ops = page->mapping->a_ops;
	int err;

	if (!a_ops->read_folio) {
		unlock_page(page);
		return -EIO;
	}
	err = a_ops->read_folio(file, page);
	if (err)
		return err;
	wait_on_page_locked(page);
	return PageUptodate(page) ? 0 : -EIO;
}

/* Has what belongs into a page brought there. */
static int filemap_update_page(struct page *page)
{
	lock_page(page);
	if (PageUptodate(page) || !page->mapping) {
		unlock_page(page);
		return page->mapping ? 0 : -EAGAIN;
	}
	return filemap_read_folio(NULL, page);
}

/*
 * The page with its contents, wherever the file ends: referenced, not locked.
 * May sleep.
 */
struct page *read_mapping_page(struct address_space *mapping,
			       unsigned long index)
{
	struct page *page;
	int err;

	do {
		page = find_get_page(mapping, index);
		if (!page) {
			page_cache_sync_readahead(mapping, index);
			page = pagecache_get_page(mapping, index);
		}
		if (IS_ERR(page))
			return page;
		if (PageUptodate(page)) {
			stall_until_release(&page->unlocked);
			mark_page_accessed(page);
			return page;
		}
		err = filemap_update_page(page);
		if (!err)
			return page;
		put_page(page);
	} while (err == -EAGAIN);
	return ERR_PTR(err);
}

struct page *filemap_get_page(struct inode *inode, unsigned long index)
{
	if (index >= DIV_ROUND_UP((u64)i_size_read(inode), PAGE_SIZE))
		return NULL;
	return read_mapping_page(inode->i_mapping, index);
}

/* The first page at *index or above; *index becomes its index. */
struct page *find_get_next(struct address_space *mapping, unsigned long *index)
{
	struct page *page;

	xa_lock(&mapping->i_pages);
	page = __xa_find(&mapping->i_pages, index);
	if (page)
		get_page(page);
	xa_unlock(&mapping->i_pages);
	return page;
}

void __filemap_remove_folio(struct page *page)
{
	struct address_space *mapping = page->mapping;

	trace_mm_filemap_delete_from_page_cache(page);
	__xa_erase(&mapping->i_pages, page->index);
	page->mapping = NULL;
	mapping->nrpages--;
}

/* The page is locked; the mapping's reference goes with it. */
void filemap_remove_folio(struct address_space *mapping, struct page *page)
{
	xa_lock(&mapping->i_pages);
	__filemap_remove_folio(page);
	xa_unlock(&mapping->i_pages);
	folio_del_lru(page);
	put_page(page);
}

static void truncate_inode_folio(struct address_space *mapping,
				 struct page *page)
{
	folio_wait_writeback(page);
	folio_cancel_dirty(page);
	if (mapping->a_ops->invalidate_folio)
		mapping->a_ops->invalidate_folio(page, 0, PAGE_SIZE);
	filemap_remove_folio(mapping, page);
}

/*
 * Drops the pages that lie wholly at or above @start; zeroes a partial one.
 * With no page locked; sleeps for those that are.
 */
void truncate_inode_pages(struct address_space *mapping, loff_t start)
{
	unsigned long index = DIV_ROUND_UP((u64)start, PAGE_SIZE);
	size_t partial = offset_in_page(start);
	struct page *page;

	if (partial) {
		page = find_get_page(mapping, index - 1);
		if (page) {
			memset(page_address(page) + partial, 0,
			       PAGE_SIZE - partial);
			put_page(page);
		}
	}
	while ((page = find_get_next(mapping, &index))) {
		lock_page(page);
		if (page->mapping == mapping)
			truncate_inode_folio(mapping, page);
		unlock_page(page);
		put_page(page);
	}
}

/*
 * Nor are they mapped any more: what has been mapped again before the pages
 * were dropped goes in the second round.
 */
void truncate_pagecache(struct inode *inode, loff_t newsize)
{
	struct address_space *mapping = inode->i_mapping;
	loff_t holebegin = PAGE_ALIGN((u64)newsize);

	unmap_mapping_range(mapping, holebegin, 0, 1);
	truncate_inode_pages(mapping, newsize);
	unmap_mapping_range(mapping, holebegin, 0, 1);
}

/* The inode is locked. */
void truncate_setsize(struct inode *inode, loff_t size)
{
	loff_t old = inode->i_size;

	i_size_write(inode, size);
	if (size < old)
		truncate_pagecache(inode, size);
}

static ssize_t filemap_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct inode *inode = iocb->ki_filp->f_mapping->host;
	ssize_t done = 0;

	while (iov_iter_count(to)) {
		size_t offset = offset_in_page(iocb->ki_pos), n, copied;
		loff_t size = i_size_read(inode);
		struct page *page;

		if (iocb->ki_pos >= size)
			break;
		page = filemap_get_page(inode, iocb->ki_pos >> PAGE_SHIFT);
		if (IS_ERR_OR_NULL(page))
			return done ? done : PTR_ERR_OR_ZERO(page);
		n = min_t(u64, PAGE_SIZE - offset, size - iocb->ki_pos);
		n = min(n, iov_iter_count(to));
		copied = copy_page_to_iter(page, offset, n, to);
		put_page(page);
		iocb->ki_pos += copied;
		done += copied;
		if (copied < n)
			return done ? done : -EFAULT;
	}
	return done;
}

ssize_t generic_file_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	ssize_t done;

	if (!iov_iter_count(to))
		return 0;
	done = filemap_read(iocb, to);
	if (done > 0)
		file_accessed(iocb->ki_filp);
	return done;
}

/*
 * One page's part. The page may itself be what is copied from: with it locked,
 * no fault can be served, so that has to be done before. 0: it was in vain.
 */
static ssize_t write_to_page(struct kiocb *iocb, struct iov_iter *from,
			     size_t *n)
{
	struct address_space *mapping = iocb->ki_filp->f_mapping;
	const struct address_space_operations *a_ops = mapping->a_ops;
	struct iov_iter before = *from;
	void *fsdata = NULL;
	struct page *page;
	size_t copied;
	int ret;

	if (fault_in_iov_iter_readable(from, *n) == *n)
		return -EFAULT;
	ret = a_ops->write_begin(iocb->ki_filp, mapping, iocb->ki_pos, *n,
				 &page, &fsdata);
	if (ret)
		return ret;
	copied = copy_page_from_iter_atomic(page, offset_in_page(iocb->ki_pos),
					    *n, from);
	flush_dcache_page(page);
	ret = a_ops->write_end(iocb->ki_filp, mapping, iocb->ki_pos, *n, copied,
			       page, fsdata);
	if (ret != (int)copied) {
		*from = before;
		iov_iter_advance(from, max(ret, 0));
	}
	if (!ret && copied)
		*n = copied;
	return ret;
}

ssize_t generic_perform_write(struct kiocb *iocb, struct iov_iter *from)
{
	ssize_t done = 0, ret = 0;
	size_t n;

	while (iov_iter_count(from)) {
		n = min(PAGE_SIZE - offset_in_page(iocb->ki_pos),
			iov_iter_count(from));
		do {
			ret = fatal_signal_pending(current) ? -EINTR :
			      write_to_page(iocb, from, &n);
		} while (!ret);
		if (ret < 0)
			break;
		iocb->ki_pos += ret;
		done += ret;
		balance_dirty_pages_ratelimited(iocb->ki_filp->f_mapping);
	}
	return done ? done : ret;
}

/* The inode is locked. */
ssize_t __generic_file_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	int err = file_update_time(iocb->ki_filp);

	return err ? err : generic_perform_write(iocb, from);
}

/* Where a write begins, and how much of it there is room for. */
static ssize_t generic_write_checks(struct kiocb *iocb, struct iov_iter *from)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	u64 limit = inode->i_sb->s_maxbytes;

	if (!iov_iter_count(from))
		return 0;
	if (iocb->ki_filp->f_flags & O_APPEND)
		iocb->ki_pos = inode->i_size;
	if (iocb->ki_pos >= rlimit(RLIMIT_FSIZE)) {
		send_sig(SIGXFSZ, current, 0);
		return -EFBIG;
	}
	if (iocb->ki_pos >= limit)
		return -EFBIG;
	limit = min_t(u64, limit, rlimit(RLIMIT_FSIZE));
	iov_iter_truncate(from, limit - iocb->ki_pos);
	return iov_iter_count(from);
}

ssize_t generic_file_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	ssize_t done;

	inode_lock(inode);
	done = generic_write_checks(iocb, from);
	if (done > 0)
		done = __generic_file_write_iter(iocb, from);
	inode_unlock(inode);
	if (done > 0)
		done = generic_write_sync(iocb, done);
	return done;
}

/* Locked: as long as it is, nobody takes it out of the file. */
vm_fault_t filemap_fault(struct vm_fault *vmf)
{
	struct address_space *mapping = vmf->vma->vm_file->f_mapping;
	struct page *page = find_get_page(mapping, vmf->pgoff);
	vm_fault_t ret = VM_FAULT_LOCKED;

	if (page)
		put_page(page);
	else
		ret |= VM_FAULT_MAJOR;
	for (;;) {
		page = filemap_get_page(mapping->host, vmf->pgoff);
		if (!page)
			return VM_FAULT_SIGBUS;
		if (IS_ERR(page))
			return PTR_ERR(page) == -ENOMEM ? VM_FAULT_OOM :
							  VM_FAULT_SIGBUS;
		lock_page(page);
		if (page->mapping == mapping)
			break;
		unlock_page(page);	/* truncated meanwhile */
		put_page(page);
	}
	vmf->page = page;
	return ret;
}

/* A clean page is about to be written through a shared mapping. */
vm_fault_t filemap_page_mkwrite(struct vm_fault *vmf)
{
	struct file *file = vmf->vma->vm_file;
	struct page *page = vmf->page;

	file_update_time(file);
	lock_page(page);
	if (page->mapping != file->f_mapping) {
		unlock_page(page);
		return VM_FAULT_NOPAGE;
	}
	folio_mark_dirty(page);
	return VM_FAULT_LOCKED;
}

const struct vm_operations_struct generic_file_vm_ops = {
	.fault		= filemap_fault,
	.page_mkwrite	= filemap_page_mkwrite,
};

int generic_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &generic_file_vm_ops;
	file_accessed(file);
	return 0;
}
