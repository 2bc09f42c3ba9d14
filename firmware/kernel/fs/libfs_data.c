/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are stored nowhere: pages alone, and text in a kernel buffer. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "internal.h"

/* What was never written is zero. */
static int simple_read_folio(struct file *file, struct page *page)
{
	clear_page(page_address(page));
	SetPageUptodate(page);
	unlock_page(page);
	return 0;
}

static int simple_write_begin(struct file *file, struct address_space *mapping,
			      loff_t pos, unsigned int len, struct page **pagep,
			      void **fsdata)
{
	struct page *page = grab_cache_page(mapping, pos >> PAGE_SHIFT);

	if (IS_ERR(page))
		return PTR_ERR(page);
	*pagep = page;
	if (!PageUptodate(page) && len != PAGE_SIZE)
		clear_page(page_address(page));
	return 0;
}

static int simple_write_end(struct file *file, struct address_space *mapping,
			    loff_t pos, unsigned int len, unsigned int copied,
			    struct page *page, void *fsdata)
{
	struct inode *inode = mapping->host;

	if (!PageUptodate(page)) {
		memset(page_address(page) + offset_in_page(pos) + copied, 0,
		       len - copied);
		SetPageUptodate(page);
	}
	if (pos + copied > inode->i_size)
		i_size_write(inode, pos + copied);
	unlock_page(page);
	put_page(page);
	return copied;
}

bool noop_dirty_folio(struct address_space *mapping, struct page *page)
{
	return false;
}

const struct address_space_operations ram_aops = {
	.read_folio	= simple_read_folio,
	.write_begin	= simple_write_begin,
	.write_end	= simple_write_end,
	.dirty_folio	= noop_dirty_folio,
};

/* The part of a text that a read at *pos gets. */
ssize_t simple_read_from_buffer(void __user *to, size_t count, loff_t *pos,
				const void *from, size_t available)
{
	size_t left;

	if (*pos < 0)
		return -EINVAL;
	if (*pos >= available || !count)
		return 0;
	count = min_t(size_t, count, available - *pos);
	left = copy_to_user(to, from + *pos, count);
	if (left == count)
		return -EFAULT;
	*pos += count - left;
	return count - left;
}

ssize_t simple_write_to_buffer(void *to, size_t available, loff_t *pos,
			       const void __user *from, size_t count)
{
	size_t left;

	if (*pos < 0)
		return -EINVAL;
	if (*pos >= available || !count)
		return 0;
	count = min_t(size_t, count, available - *pos);
	left = copy_from_user(to + *pos, from, count);
	if (left == count)
		return -EFAULT;
	*pos += count - left;
	return count - left;
}
