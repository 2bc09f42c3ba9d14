/* SPDX-License-Identifier: GPL-2.0-only */
/* Where dirty pages go, as traces name it. */
#include <linux/backing-dev.h>
#include <linux/blkdev.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/writeback.h>
#include <trace/events/writeback.h>

struct backing_dev_info *inode_to_bdi(struct inode *inode)
{
	struct super_block *sb = inode->i_sb;
	struct block_device *bdev = sb->s_magic == BDEVFS_MAGIC ?
				    I_BDEV(inode) : sb->s_bdev;

	return bdev ? &bdev->bd_disk->bdi : NULL;
}

const char *bdi_dev_name(struct backing_dev_info *bdi)
{
	return bdi ? bdi->dev_name : "(unknown)";
}

void bdi_register(struct backing_dev_info *bdi, dev_t dev)
{
	snprintf(bdi->dev_name, sizeof(bdi->dev_name), "%u:%u", MAJOR(dev),
		 MINOR(dev));
	wb_init(bdi);
	trace_writeback_bdi_register(bdi);
}
