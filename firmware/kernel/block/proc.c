/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/partitions and /proc/diskstats. */
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#include "blk.h"

static void show_partition(struct gendisk *disk, void *m)
{
	seq_printf(m, "%4d  %7d %10llu %s\n", disk->major, disk->first_minor,
		   bdev_nr_sectors(disk->part0) >> 1, disk->disk_name);
}

static int partitions_show(struct seq_file *m, void *v)
{
	seq_puts(m, "major minor  #blocks  name\n\n");
	for_each_disk(show_partition, m);
	return 0;
}

static u64 msecs(u64 nsecs)
{
	return nsecs / (NSEC_PER_SEC / 1000);
}

static void show_disk(struct gendisk *disk, void *m)
{
	struct request_queue *q = disk->queue;
	struct disk_stats s;
	unsigned int busy;
	unsigned long flags;

	spin_lock_irqsave(&q->stat_lock, flags);
	s = disk->part0->bd_stats;
	busy = q->in_flight[0] + q->in_flight[1];
	spin_unlock_irqrestore(&q->stat_lock, flags);
	seq_printf(m, "%4d %7d %s %lu %lu %lu %llu %lu %lu %lu %llu %u %lu %llu 0 0 0 0 0 0\n",
		   disk->major, disk->first_minor, disk->disk_name,
		   s.ios[STAT_READ], s.merges[STAT_READ],
		   s.sectors[STAT_READ], msecs(s.nsecs[STAT_READ]),
		   s.ios[STAT_WRITE], s.merges[STAT_WRITE],
		   s.sectors[STAT_WRITE], msecs(s.nsecs[STAT_WRITE]), busy,
		   s.io_ticks * 1000 / HZ,
		   msecs(s.nsecs[STAT_READ] + s.nsecs[STAT_WRITE]));
}

static int diskstats_show(struct seq_file *m, void *v)
{
	for_each_disk(show_disk, m);
	return 0;
}

static int __init proc_genhd_init(void)
{
	proc_create_single("partitions", 0, NULL, partitions_show);
	proc_create_single("diskstats", 0, NULL, diskstats_show);
	return 0;
}
module_init(proc_genhd_init);
