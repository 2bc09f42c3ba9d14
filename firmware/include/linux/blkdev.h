/* SPDX-License-Identifier: GPL-2.0-only */
/* Disks, and plugging their queues. */
#ifndef _LINUX_BLKDEV_H
#define _LINUX_BLKDEV_H

#include <linux/backing-dev.h>
#include <linux/bio.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kobject.h>
#include <linux/list.h>

#define DISK_NAME_LEN	32

struct request;
struct request_queue;

struct gendisk {
	unsigned int		major;
	unsigned int		first_minor;
	char			disk_name[DISK_NAME_LEN];
	struct block_device	*part0;
	struct request_queue	*queue;
	struct backing_dev_info	bdi;
	struct list_head	disks;		/* in the list of all */
	struct kobject		kobj;		/* /sys/block/NAME */
};

static inline dev_t disk_devt(struct gendisk *disk)
{
	return MKDEV(disk->major, disk->first_minor);
}

static inline void set_capacity(struct gendisk *disk, sector_t sectors)
{
	disk->part0->bd_nr_sectors = sectors;
}

static inline sector_t bdev_nr_sectors(struct block_device *bdev)
{
	return bdev->bd_nr_sectors;
}

static inline loff_t bdev_nr_bytes(struct block_device *bdev)
{
	return bdev->bd_nr_sectors << SECTOR_SHIFT;
}

static inline struct request_queue *bdev_get_queue(struct block_device *bdev)
{
	return bdev->bd_disk->queue;
}

/* blk-core.c */
int blk_status_to_errno(blk_status_t status);

/* genhd.c */
struct gendisk *blk_mq_alloc_disk(struct request_queue *q);
int device_add_disk(struct gendisk *disk);
struct block_device *blkdev_get_no_open(dev_t dev);

/*
 * A task that is about to submit several bios collects their requests, to
 * merge them; they go to the device when it finishes or sleeps.
 */
struct blk_plug {
	struct list_head	mq_list;
	unsigned int		rq_count;
};

/* A plug with more is flushed. */
#define BLK_MAX_REQUEST_COUNT	32

void blk_start_plug(struct blk_plug *plug);
void blk_finish_plug(struct blk_plug *plug);
void __blk_flush_plug(struct blk_plug *plug, bool from_schedule);

static inline void blk_flush_plug(struct blk_plug *plug, bool from_schedule)
{
	if (plug)
		__blk_flush_plug(plug, from_schedule);
}

/* bdev.c */
int lookup_bdev(const char *pathname, dev_t *dev);
struct block_device *blkdev_get_by_dev(dev_t dev, fmode_t mode, void *holder);
struct block_device *blkdev_get_by_path(const char *path, fmode_t mode,
					void *holder);
void blkdev_put(struct block_device *bdev, fmode_t mode);
int sync_blockdev(struct block_device *bdev);
void invalidate_bdev(struct block_device *bdev);
void kill_bdev(struct block_device *bdev);
int set_blocksize(struct block_device *bdev, int size);
int sb_set_blocksize(struct super_block *sb, int size);
int sb_min_blocksize(struct super_block *sb, int size);
void sync_bdevs(bool wait);

struct block_device *bdev_alloc(struct gendisk *disk);
void bdev_add(struct block_device *bdev, dev_t dev);
void for_each_disk(void (*fn)(struct gendisk *disk, void *data), void *data);

/* fops.c */
extern const struct file_operations def_blk_fops;
extern const struct address_space_operations def_blk_aops;

struct block_device *I_BDEV(struct inode *inode);
const char *bdevname(struct block_device *bdev);

#define FMODE_EXCL	0x80

#endif
