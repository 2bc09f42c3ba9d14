/* SPDX-License-Identifier: GPL-2.0-only */
/* The board's RAM disk, /dev/ram0. */
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/device.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <emu/hostcall.h>
#include <emu/ramdisk.h>

#define RAMDISK_MAJOR	1

static struct request_queue *ramdisk_queue;

struct ramdisk_request {
	struct ramdisk_command command;
	blk_status_t status;
};

static blk_status_t ramdisk_queue_rq(struct request_queue *q,
				     struct request *rq)
{
	struct ramdisk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct ramdisk_command *cmd = &pdu->command;
	struct bvec_iter iter;
	struct bio_vec bv;
	struct bio *bio;
	u64 n = 0;

	if (req_op(rq) != REQ_OP_READ && req_op(rq) != REQ_OP_WRITE)
		return BLK_STS_NOTSUPP;
	rq_list_bio(rq, bio)
		bio_for_each_segment(bv, bio, iter) {
			cmd->segments[n].address = page_to_phys(bv.bv_page) +
						   bv.bv_offset;
			cmd->segments[n++].length = bv.bv_len;
		}
	cmd->sector = blk_rq_pos(rq);
	cmd->operation = rq_data_dir(rq) ? RAMDISK_WRITE : RAMDISK_READ;
	cmd->nr_segments = n;
	blk_mq_start_request(rq);
	return hostcall2(HC_BLOCK_SUBMIT, cmd, rq->tag) ? BLK_STS_IOERR :
							   BLK_STS_OK;
}

static void ramdisk_complete_rq(struct request *rq)
{
	struct ramdisk_request *pdu = blk_mq_rq_to_pdu(rq);

	blk_mq_end_request(rq, pdu->status);
}

/* The disk interrupts again for what it has not done yet. */
void ramdisk_interrupt(void)
{
	struct ramdisk_request *pdu;
	struct request *rq;
	long done;

	while ((done = hostcall0(HC_BLOCK_COMPLETED)) >= 0) {
		rq = &ramdisk_queue->rqs[RAMDISK_TAG(done)];
		pdu = blk_mq_rq_to_pdu(rq);
		pdu->status = RAMDISK_FAILED(done) ? BLK_STS_IOERR : BLK_STS_OK;
		blk_mq_complete_request(rq);
	}
}

static const struct blk_mq_ops ramdisk_mq_ops = {
	.queue_rq	= ramdisk_queue_rq,
	.complete	= ramdisk_complete_rq,
};

static int __init ramdisk_init(void)
{
	struct gendisk *disk;

	ramdisk_queue = blk_mq_init_queue(&ramdisk_mq_ops, RAMDISK_DEPTH,
					  sizeof(struct ramdisk_request));
	if (!ramdisk_queue)
		return -ENOMEM;
	disk = blk_mq_alloc_disk(ramdisk_queue);
	if (!disk)
		return -ENOMEM;
	disk->major = RAMDISK_MAJOR;
	disk->first_minor = 0;
	snprintf(disk->disk_name, sizeof(disk->disk_name), "ram0");
	set_capacity(disk, hostcall0(HC_BLOCK_INFO));
	return device_add_disk(disk);
}
device_initcall(ramdisk_init);
