/* SPDX-License-Identifier: GPL-2.0-only */
/* The way into the block layer: submitting bios, plugging. */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "blk.h"

#define CREATE_TRACE_POINTS
#include <trace/events/block.h>

int blk_status_to_errno(blk_status_t status)
{
	switch (status) {
	case BLK_STS_OK:
		return 0;
	case BLK_STS_NOTSUPP:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

/* Whether the bio leaves the disk. */
static int bio_check_eod(struct bio *bio)
{
	sector_t limit = bdev_nr_sectors(bio->bi_bdev);
	sector_t sector = bio->bi_iter.bi_sector;
	unsigned int nr = bio_sectors(bio);

	if (!nr || (nr <= limit && sector <= limit - nr))
		return 0;
	pr_warn("%s: attempt to access beyond end of device\n"
		"%s: rw=%d, sector=%llu, nr_sectors = %u limit=%llu\n",
		current->comm, bdevname(bio->bi_bdev), bio_data_dir(bio),
		sector, nr, limit);
	return -EIO;
}

static bool bio_check_ro(struct bio *bio)
{
	return op_is_write(bio_op(bio)) && bio_sectors(bio) &&
	       bio->bi_bdev->bd_read_only;
}

static void __submit_bio(struct bio *bio)
{
	blk_mq_submit_bio(bio);
}

static void __submit_bio_noacct_mq(struct bio *bio)
{
	__submit_bio(bio);
}

static void submit_bio_noacct_nocheck(struct bio *bio)
{
	trace_block_bio_queue(bio);
	blk_trace_bio(bio, BLK_TA_QUEUE);
	__submit_bio_noacct_mq(bio);
}

void submit_bio_noacct(struct bio *bio)
{
	bio->bi_status = BLK_STS_OK;
	if (bio_check_ro(bio) || bio_check_eod(bio)) {
		bio_io_error(bio);
		return;
	}
	/* The disk keeps nothing back that could be flushed. */
	bio->bi_opf &= ~REQ_PREFLUSH;
	if (!bio_sectors(bio)) {
		bio_endio(bio);
		return;
	}
	submit_bio_noacct_nocheck(bio);
}

/* bi_end_io is called once, maybe at once, maybe in a softirq. */
void submit_bio(struct bio *bio)
{
	submit_bio_noacct(bio);
}

/* The outermost counts; it must be finished by the same function. */
void blk_start_plug(struct blk_plug *plug)
{
	if (current->plug)
		return;
	INIT_LIST_HEAD(&plug->mq_list);
	plug->rq_count = 0;
	current->plug = plug;
}

void __blk_flush_plug(struct blk_plug *plug, bool from_schedule)
{
	if (plug->rq_count)
		blk_mq_flush_plug_list(plug, from_schedule);
}

void blk_finish_plug(struct blk_plug *plug)
{
	if (plug != current->plug)
		return;
	__blk_flush_plug(plug, false);
	current->plug = NULL;
}

static struct workqueue_struct *kblockd_workqueue;

bool kblockd_mod_delayed_work_on(int cpu, struct delayed_work *dwork,
				 unsigned long delay)
{
	return mod_delayed_work_on(cpu, kblockd_workqueue, dwork, delay);
}

static int __init blk_dev_init(void)
{
	kblockd_workqueue = alloc_workqueue("kblockd",
					    WQ_MEM_RECLAIM | WQ_HIGHPRI, 0);
	return kblockd_workqueue ? 0 : -ENOMEM;
}
subsys_initcall(blk_dev_init);
