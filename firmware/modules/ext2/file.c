/* SPDX-License-Identifier: GPL-2.0-only */
/* Open files, and the links that need a block. */
#include <linux/err.h>
#include <linux/pagemap.h>
#include <linux/writeback.h>

#include "ext2.h"

/* The data, the inode, and the tables that lead to the data. */
int ext2_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	struct inode *inode = file->f_mapping->host;
	int err, ret;

	err = file_write_and_wait_range(file, start, end);
	ret = write_inode_now(inode, 1);
	if (!err)
		err = ret;
	ret = sync_blockdev(inode->i_sb->s_bdev);
	return err ? err : ret;
}

const struct file_operations ext2_file_operations = {
	.llseek		= generic_file_llseek,
	.read_iter	= generic_file_read_iter,
	.write_iter	= generic_file_write_iter,
	.splice_write	= iter_file_splice_write,
	.splice_read	= generic_file_splice_read,
	.mmap		= generic_file_mmap,
	.open		= generic_file_open,
	.fsync		= ext2_fsync,
};

const struct inode_operations ext2_file_inode_operations = {
	.setattr	= ext2_setattr,
};

const struct inode_operations ext2_symlink_inode_operations = {
	.get_link	= page_get_link,
	.setattr	= ext2_setattr,
};

const struct inode_operations ext2_fast_symlink_inode_operations = {
	.get_link	= simple_get_link,
	.setattr	= ext2_setattr,
};
