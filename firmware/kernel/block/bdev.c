/* SPDX-License-Identifier: GPL-2.0-only */
/* Block devices as files: their inodes, opening, claiming, flushing them. */
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/writeback.h>

#include "blk.h"

static struct super_block *blockdev_superblock;
static DEFINE_MUTEX(bdev_lock);		/* openers and holders */

struct block_device *I_BDEV(struct inode *inode)
{
	return inode->i_bdev;
}

static const struct super_operations bdev_sops = {
	.drop_inode	= generic_delete_inode,
};

static struct dentry *bd_mount(struct file_system_type *type, int flags,
			       const char *dev_name, void *data)
{
	return mount_pseudo(type, "bdev:", &bdev_sops, NULL, BDEVFS_MAGIC);
}

static struct file_system_type bd_type = {
	.name		= "bdev",
	.mount		= bd_mount,
	.kill_sb	= kill_anon_super,
};

/* The disk's file, with an inode of its own whose pages are the disk's. */
struct block_device *bdev_alloc(struct gendisk *disk)
{
	struct block_device *bdev = kzalloc(sizeof(*bdev), GFP_KERNEL);
	struct inode *inode;

	if (!bdev)
		return NULL;
	inode = new_inode(blockdev_superblock);
	if (!inode) {
		kfree(bdev);
		return NULL;
	}
	inode->i_mode = S_IFBLK;
	inode->i_bdev = bdev;
	inode->i_data.a_ops = &def_blk_aops;
	bdev->bd_inode = inode;
	bdev->bd_disk = disk;
	return bdev;
}

void bdev_add(struct block_device *bdev, dev_t dev)
{
	bdev->bd_dev = dev;
	bdev->bd_inode->i_rdev = dev;
	bdev->bd_inode->i_ino = dev;
}

/* As large as the disk's size and the page allow. */
static void set_init_blocksize(struct block_device *bdev)
{
	unsigned int size = bdev_get_queue(bdev)->limits.logical_block_size;
	unsigned int bits = SECTOR_SHIFT;

	while (size < PAGE_SIZE && !(bdev_nr_bytes(bdev) & size))
		size <<= 1;
	while (1u << bits < size)
		bits++;
	bdev->bd_inode->i_blkbits = bits;
	i_size_write(bdev->bd_inode, bdev_nr_bytes(bdev));
}

int set_blocksize(struct block_device *bdev, int size)
{
	unsigned int bits = SECTOR_SHIFT;

	if (size > (int)PAGE_SIZE || size < SECTOR_SIZE || size & (size - 1))
		return -EINVAL;
	while (1 << bits < size)
		bits++;
	if (bdev->bd_inode->i_blkbits != bits) {
		sync_blockdev(bdev);
		bdev->bd_inode->i_blkbits = bits;
		kill_bdev(bdev);
	}
	return 0;
}

/* The size, or 0 if it cannot be. */
int sb_set_blocksize(struct super_block *sb, int size)
{
	if (set_blocksize(sb->s_bdev, size))
		return 0;
	sb->s_blocksize = size;
	sb->s_blocksize_bits = sb->s_bdev->bd_inode->i_blkbits;
	return size;
}

int sb_min_blocksize(struct super_block *sb, int size)
{
	int smallest = bdev_get_queue(sb->s_bdev)->limits.logical_block_size;

	return sb_set_blocksize(sb, max(size, smallest));
}

int sync_blockdev(struct block_device *bdev)
{
	return bdev ? filemap_write_and_wait(bdev->bd_inode->i_mapping) : 0;
}

/* Forgets everything that is cached. */
void kill_bdev(struct block_device *bdev)
{
	truncate_inode_pages(bdev->bd_inode->i_mapping, 0);
}

/* Forgets what is clean and not in use. */
void invalidate_bdev(struct block_device *bdev)
{
	invalidate_mapping_pages(bdev->bd_inode->i_mapping, 0, ~0UL);
}

static void blkdev_flush_mapping(struct block_device *bdev)
{
	sync_blockdev(bdev);
	kill_bdev(bdev);
}

/* With bdev_lock. The same holder may claim it again. */
static int bd_prepare_to_claim(struct block_device *bdev, void *holder)
{
	if (bdev->bd_holder && bdev->bd_holder != holder)
		return -EBUSY;
	bdev->bd_holder = holder;
	bdev->bd_holders++;
	return 0;
}

static void bd_end_claim(struct block_device *bdev)
{
	if (!--bdev->bd_holders)
		bdev->bd_holder = NULL;
}

static void blkdev_get_whole(struct block_device *bdev)
{
	if (!bdev->bd_openers)
		set_init_blocksize(bdev);
	bdev->bd_openers++;
}

/* @holder: who wants it for himself (FMODE_EXCL). */
struct block_device *blkdev_get_by_dev(dev_t dev, fmode_t mode, void *holder)
{
	struct block_device *bdev = blkdev_get_no_open(dev);
	int err = 0;

	if (!bdev)
		return ERR_PTR(-ENXIO);
	mutex_lock(&bdev_lock);
	if ((mode & FMODE_WRITE) && bdev->bd_read_only)
		err = -EACCES;
	if (!err && (mode & FMODE_EXCL))
		err = bd_prepare_to_claim(bdev, holder);
	if (!err)
		blkdev_get_whole(bdev);
	mutex_unlock(&bdev_lock);
	return err ? ERR_PTR(err) : bdev;
}

static void blkdev_put_whole(struct block_device *bdev)
{
	if (bdev->bd_openers == 1)
		blkdev_flush_mapping(bdev);
	bdev->bd_openers--;
}

/* The last to close it writes what is dirty; then nothing stays cached. */
void blkdev_put(struct block_device *bdev, fmode_t mode)
{
	mutex_lock(&bdev_lock);
	if (mode & FMODE_EXCL)
		bd_end_claim(bdev);
	blkdev_put_whole(bdev);
	mutex_unlock(&bdev_lock);
}

int lookup_bdev(const char *pathname, dev_t *dev)
{
	struct inode *inode;
	struct path path;
	int err;

	err = kern_path(pathname, LOOKUP_FOLLOW, &path);
	if (err)
		return err;
	inode = d_inode(path.dentry);
	err = S_ISBLK(inode->i_mode) ? 0 : -ENOTBLK;
	if (!err)
		*dev = inode->i_rdev;
	path_put(&path);
	return err;
}

struct block_device *blkdev_get_by_path(const char *path, fmode_t mode,
					void *holder)
{
	dev_t dev;
	int err = lookup_bdev(path, &dev);

	return err ? ERR_PTR(err) : blkdev_get_by_dev(dev, mode, holder);
}

static void sync_bdev(struct gendisk *disk, void *wait)
{
	struct address_space *mapping = disk->part0->bd_inode->i_mapping;

	if (!disk->part0->bd_openers)
		return;
	if (*(bool *)wait)
		filemap_write_and_wait(mapping);
	else
		filemap_flush(mapping);
}

/* All disks, for sync(2). */
void sync_bdevs(bool wait)
{
	for_each_disk(sync_bdev, &wait);
}

static int __init bdev_cache_init(void)
{
	struct vfsmount *mnt = kern_mount(&bd_type);

	if (IS_ERR(mnt))
		return PTR_ERR(mnt);
	blockdev_superblock = mnt->mnt_sb;
	return 0;
}
fs_initcall(bdev_cache_init);
