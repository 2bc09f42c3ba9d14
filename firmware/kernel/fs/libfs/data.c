/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are stored nowhere: pages alone, and text in a kernel buffer. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

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
