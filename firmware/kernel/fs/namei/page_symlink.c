/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbolic links whose text is a file's data. */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

static void page_put_link(void *text)
{
	kfree(text);
}

/* A copy, which ends with the data or the page. */
const char *page_get_link(struct dentry *dentry, struct inode *inode,
			  struct delayed_call *done)
{
	size_t len = min_t(u64, inode->i_size, PAGE_SIZE - 1);
	struct page *page = read_mapping_page(inode->i_mapping, 0);
	char *text;

	if (IS_ERR(page))
		return ERR_CAST(page);
	text = kmalloc(len + 1, GFP_KERNEL);
	if (text) {
		memcpy(text, page_address(page), len);
		text[len] = '\0';
		set_delayed_call(done, page_put_link, text);
	}
	put_page(page);
	return text ? text : ERR_PTR(-ENOMEM);
}

/* @len with the NUL, which is not stored. */
int page_symlink(struct inode *inode, const char *text, int len)
{
	struct address_space *mapping = inode->i_mapping;
	const struct address_space_operations *a_ops = mapping->a_ops;
	struct page *page;
	void *fsdata = NULL;
	int err;

	err = a_ops->write_begin(NULL, mapping, 0, len - 1, &page, &fsdata);
	if (err)
		return err;
	memcpy(page_address(page), text, len - 1);
	err = a_ops->write_end(NULL, mapping, 0, len - 1, len - 1, page,
			       fsdata);
	if (err < 0)
		return err;
	if (err < len - 1)
		return -EIO;
	mark_inode_dirty(inode);
	return 0;
}
