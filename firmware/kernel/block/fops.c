/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/ram0 and its like: reading and writing a disk as a file. */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/buffer_head.h>
#include <linux/ioctl.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>
#include <linux/writeback.h>

#include "blk.h"

#define BLKROSET	_IO(0x12, 93)
#define BLKROGET	_IO(0x12, 94)
#define BLKGETSIZE	_IO(0x12, 96)
#define BLKFLSBUF	_IO(0x12, 97)
#define BLKSSZGET	_IO(0x12, 104)
#define BLKGETSIZE64	_IOR(0x12, 114, size_t)

static int blkdev_get_block(struct inode *inode, sector_t block,
			    struct buffer_head *bh, int create)
{
	bh->b_bdev = I_BDEV(inode);
	bh->b_blocknr = block;
	set_buffer_mapped(bh);
	return 0;
}

static int blkdev_writepage(struct page *page, struct writeback_control *wbc)
{
	return block_write_full_page(page, blkdev_get_block, wbc);
}

static int blkdev_read_folio(struct file *file, struct page *page)
{
	return block_read_full_folio(page, blkdev_get_block);
}

static int blkdev_write_begin(struct file *file, struct address_space *mapping,
			      loff_t pos, unsigned int len,
			      struct page **pagep, void **fsdata)
{
	return block_write_begin(mapping, pos, len, pagep, blkdev_get_block);
}

static int blkdev_write_end(struct file *file, struct address_space *mapping,
			    loff_t pos, unsigned int len, unsigned int copied,
			    struct page *page, void *fsdata)
{
	int ret = block_write_end(file, mapping, pos, len, copied, page, fsdata);

	folio_unlock(page);
	put_page(page);
	return ret;
}

const struct address_space_operations def_blk_aops = {
	.writepage	= blkdev_writepage,
	.read_folio	= blkdev_read_folio,
	.dirty_folio	= block_dirty_folio,
	.write_begin	= blkdev_write_begin,
	.write_end	= blkdev_write_end,
	.invalidate_folio = block_invalidate_folio,
};

/* The node's inode is not the disk's. */
static inline struct inode *bdev_file_inode(struct file *file)
{
	return file->f_mapping->host;
}

static int blkdev_open(struct inode *inode, struct file *file)
{
	fmode_t mode = file->f_mode & (FMODE_READ | FMODE_WRITE);
	struct block_device *bdev;

	if (file->f_flags & O_EXCL)
		mode |= FMODE_EXCL;
	bdev = blkdev_get_by_dev(inode->i_rdev, mode, file);
	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	file->private_data = (void *)(unsigned long)mode;
	file->f_mapping = bdev->bd_inode->i_mapping;
	file->f_wb_err = filemap_sample_wb_err(file->f_mapping);
	return 0;
}

static int blkdev_close(struct inode *inode, struct file *file)
{
	fmode_t mode = (unsigned long)file->private_data;

	blkdev_put(I_BDEV(bdev_file_inode(file)), mode);
	return 0;
}

static loff_t blkdev_llseek(struct file *file, loff_t offset, int whence)
{
	loff_t size = i_size_read(bdev_file_inode(file));

	switch (whence) {
	case SEEK_SET:
		break;
	case SEEK_CUR:
		offset += file->f_pos;
		break;
	case SEEK_END:
		offset += size;
		break;
	default:
		return -EINVAL;
	}
	if (offset < 0 || offset > size)
		return -EINVAL;
	file->f_pos = offset;
	return offset;
}

static ssize_t blkdev_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	return generic_file_read_iter(iocb, to);
}

/* A disk does not grow. */
static ssize_t blkdev_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct inode *inode = bdev_file_inode(iocb->ki_filp);
	loff_t size = i_size_read(inode);
	struct blk_plug plug;
	ssize_t ret;

	if (I_BDEV(inode)->bd_read_only)
		return -EPERM;
	if (!iov_iter_count(from))
		return 0;
	if (iocb->ki_pos >= size)
		return -ENOSPC;
	iov_iter_truncate(from, size - iocb->ki_pos);
	blk_start_plug(&plug);
	inode_lock(inode);
	ret = generic_perform_write(iocb, from);
	inode_unlock(inode);
	if (ret > 0)
		ret = generic_write_sync(iocb, ret);
	blk_finish_plug(&plug);
	return ret;
}

static int blkdev_fsync(struct file *file, loff_t start, loff_t end,
			int datasync)
{
	return file_write_and_wait_range(file, start, end);
}

static long blkdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct block_device *bdev = I_BDEV(bdev_file_inode(file));
	int value;

	switch (cmd) {
	case BLKGETSIZE64:
		return put_user((u64)bdev_nr_bytes(bdev), (u64 __user *)arg);
	case BLKGETSIZE:
		return put_user((unsigned long)bdev_nr_sectors(bdev),
				(unsigned long __user *)arg);
	case BLKSSZGET:
		return put_user((int)bdev_get_queue(bdev)->limits
				.logical_block_size, (int __user *)arg);
	case BLKROGET:
		return put_user((int)bdev->bd_read_only, (int __user *)arg);
	case BLKROSET:
		if (get_user(value, (int __user *)arg))
			return -EFAULT;
		bdev->bd_read_only = value;
		return 0;
	case BLKFLSBUF:
		sync_blockdev(bdev);
		invalidate_bdev(bdev);
		return 0;
	default:
		return -ENOTTY;
	}
}

const struct file_operations def_blk_fops = {
	.open		= blkdev_open,
	.release	= blkdev_close,
	.llseek		= blkdev_llseek,
	.read_iter	= blkdev_read_iter,
	.write_iter	= blkdev_write_iter,
	.splice_write	= iter_file_splice_write,
	.splice_read	= generic_file_splice_read,
	.mmap		= generic_file_mmap,
	.fsync		= blkdev_fsync,
	.unlocked_ioctl	= blkdev_ioctl,
};
