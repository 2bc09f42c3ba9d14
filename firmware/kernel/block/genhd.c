/* SPDX-License-Identifier: GPL-2.0-only */
/* Disks: making them known. */
#include <linux/blk-mq.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "blk.h"

static DEFINE_MUTEX(block_class_lock);
static LIST_HEAD(block_class_devices);
static struct kobject *block_kobj;		/* /sys/block */

static const struct attribute_group *disk_attr_groups[] = {
	&blk_trace_attr_group,
	NULL
};

static const struct kobj_type disk_type = {
	.sysfs_ops	= &kobj_sysfs_ops,
	.default_groups	= disk_attr_groups,
};

/* NULL if there is no memory. */
struct gendisk *blk_mq_alloc_disk(struct request_queue *q)
{
	struct gendisk *disk = kzalloc(sizeof(*disk), GFP_KERNEL);

	if (!disk)
		return NULL;
	disk->part0 = bdev_alloc(disk);
	if (!disk->part0) {
		kfree(disk);
		return NULL;
	}
	disk->queue = q;
	q->disk = disk;
	return disk;
}

/*
 * From here on the disk can be opened; it has a node in /dev, and a directory in
 * /sys/block.
 */
int device_add_disk(struct gendisk *disk)
{
	dev_t dev = disk_devt(disk);
	char path[DISK_NAME_LEN + 8];

	bdi_register(&disk->bdi, dev);
	bdev_add(disk->part0, dev);
	mutex_lock(&block_class_lock);
	list_add_tail(&disk->disks, &block_class_devices);
	mutex_unlock(&block_class_lock);
	snprintf(path, sizeof(path), "/dev/%s", disk->disk_name);
	device_create_block(path, dev, 0600);
	return kobject_init_and_add(&disk->kobj, &disk_type, block_kobj, "%s",
				    disk->disk_name);
}

/* NULL: there is no such disk. */
struct block_device *blkdev_get_no_open(dev_t dev)
{
	struct block_device *found = NULL;
	struct gendisk *disk;

	mutex_lock(&block_class_lock);
	list_for_each_entry(disk, &block_class_devices, disks)
		if (disk->part0->bd_dev == dev)
			found = disk->part0;
	mutex_unlock(&block_class_lock);
	return found;
}

const char *bdevname(struct block_device *bdev)
{
	return bdev->bd_disk->disk_name;
}

/* Calls @fn for each disk that has a size. */
void for_each_disk(void (*fn)(struct gendisk *disk, void *data), void *data)
{
	struct gendisk *disk;

	mutex_lock(&block_class_lock);
	list_for_each_entry(disk, &block_class_devices, disks)
		if (bdev_nr_sectors(disk->part0))
			fn(disk, data);
	mutex_unlock(&block_class_lock);
}

static int __init genhd_device_init(void)
{
	block_kobj = kobject_create_and_add("block", NULL);
	return block_kobj ? 0 : -ENOMEM;
}
subsys_initcall(genhd_device_init);
