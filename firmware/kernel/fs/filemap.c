/* SPDX-License-Identifier: GPL-2.0-only */
/* The page cache: reading, writing, mapping and truncating a file's pages. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/uio.h>
#include <asm/cacheflush.h>

#include "internal.h"

static inline struct page *find_get_page(struct address_space *mapping,
					 unsigned long index)
{
	struct page *page;

	xa_lock(&mapping->i_pages);
	page = __xa_load(&mapping->i_pages, index);
	if (page)
		get_page(page);
	xa_unlock(&mapping->i_pages);
	return page;
}

/* Gives @page, zeroed, a second reference: the mapping's. */
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
	}
	xa_unlock(&mapping->i_pages);
	return err;
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
		page = alloc_page(GFP_HIGHUSER | __GFP_ZERO);
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

struct page *filemap_get_page(struct inode *inode, unsigned long index)
{
	if (index >= DIV_ROUND_UP((u64)i_size_read(inode), PAGE_SIZE))
		return NULL;
	return pagecache_get_page(inode->i_mapping, index);
}

/* Drops the pages that lie wholly at or above @start; zeroes a partial one. */
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
	for (;;) {
		xa_lock(&mapping->i_pages);
		page = __xa_find(&mapping->i_pages, &index);
		if (page) {
			__xa_erase(&mapping->i_pages, index);
			page->mapping = NULL;
			mapping->nrpages--;
		}
		xa_unlock(&mapping->i_pages);
		if (!page)
			return;
		put_page(page);
	}
}

/* The inode is locked. */
void truncate_setsize(struct inode *inode, loff_t size)
{
	loff_t old = inode->i_size;

	i_size_write(inode, size);
	if (size < old)
		truncate_inode_pages(inode->i_mapping, size);
}

static ssize_t filemap_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct inode *inode = file_inode(iocb->ki_filp);
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
	struct inode *inode = file_inode(iocb->ki_filp);
	ssize_t done;

	if (!iov_iter_count(to))
		return 0;
	done = filemap_read(iocb, to);
	if (done > 0)
		inode->i_atime = current_time();
	return done;
}

static ssize_t generic_perform_write(struct kiocb *iocb, struct iov_iter *from)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	ssize_t done = 0;

	while (iov_iter_count(from)) {
		size_t offset = offset_in_page(iocb->ki_pos), n, copied;
		struct page *page;

		page = pagecache_get_page(inode->i_mapping,
					  iocb->ki_pos >> PAGE_SHIFT);
		if (IS_ERR(page))
			return done ? done : -ENOSPC;
		n = min(PAGE_SIZE - offset, iov_iter_count(from));
		copied = copy_page_from_iter(page, offset, n, from);
		flush_dcache_page(page);
		put_page(page);
		iocb->ki_pos += copied;
		done += copied;
		if (iocb->ki_pos > inode->i_size)
			i_size_write(inode, iocb->ki_pos);
		if (copied < n)
			return done ? done : -EFAULT;
	}
	return done;
}

ssize_t generic_file_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct inode *inode = file_inode(iocb->ki_filp);
	ssize_t done;

	inode_lock(inode);
	if (iocb->ki_filp->f_flags & O_APPEND)
		iocb->ki_pos = inode->i_size;
	if (iov_iter_count(from) > (u64)(MAX_LFS_FILESIZE - iocb->ki_pos)) {
		done = -EFBIG;
	} else {
		done = generic_perform_write(iocb, from);
		if (done > 0)
			inode->i_mtime = inode->i_ctime = current_time();
	}
	inode_unlock(inode);
	return done;
}

vm_fault_t filemap_fault(struct vm_fault *vmf)
{
	struct inode *inode = file_inode(vmf->vma->vm_file);
	struct page *page = filemap_get_page(inode, vmf->pgoff);

	if (!page)
		return VM_FAULT_SIGBUS;
	if (IS_ERR(page))
		return VM_FAULT_OOM;
	vmf->page = page;
	return 0;
}

const struct vm_operations_struct generic_file_vm_ops = {
	.fault	= filemap_fault,
};

int generic_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &generic_file_vm_ops;
	file_inode(file)->i_atime = current_time();
	return 0;
}
