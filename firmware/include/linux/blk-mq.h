/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests, the queues they wait in, and what a driver provides. */
#ifndef _LINUX_BLK_MQ_H
#define _LINUX_BLK_MQ_H

#include <linux/bio.h>
#include <linux/bitops.h>
#include <linux/blktrace_api.h>
#include <linux/list.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct gendisk;
struct request_queue;

enum mq_rq_state {
	MQ_RQ_IDLE,
	MQ_RQ_IN_FLIGHT,
	MQ_RQ_COMPLETE,
};

/* A CPU's software queue of a disk: requests that wait for the driver. */
struct blk_mq_ctx {
	spinlock_t		lock;
	struct list_head	rq_list;
	unsigned int		cpu;
	struct request_queue	*queue;
};

/* Bios on adjacent sectors that the device does in one go. */
struct request {
	struct request_queue	*q;
	struct blk_mq_ctx	*mq_ctx;	/* of the CPU that submitted */
	blk_opf_t		cmd_flags;
	int			tag;
	sector_t		__sector;
	unsigned int		__data_len;
	unsigned short		nr_phys_segments;
	struct bio		*bio;
	struct bio		*biotail;
	struct list_head	queuelist;
	struct list_head	ipi_list;	/* completed, for its CPU */
	struct block_device	*part;
	enum mq_rq_state	state;
	u64			start_time_ns;
	u64			io_start_time_ns;
	struct call_single_data	csd;
	void			*pdu;		/* the driver's */
};

#define req_op(rq)		((enum req_op)((rq)->cmd_flags & REQ_OP_MASK))
#define rq_data_dir(rq)		(op_is_write(req_op(rq)) ? 1 : 0)
#define blk_rq_pos(rq)		((rq)->__sector)
#define blk_rq_bytes(rq)	((rq)->__data_len)
#define blk_rq_sectors(rq)	((rq)->__data_len >> SECTOR_SHIFT)
#define blk_mq_rq_to_pdu(rq)	((rq)->pdu)
#define rq_list_bio(rq, b)	for (b = (rq)->bio; b; b = b->bi_next)

struct blk_mq_ops {
	/* Starts the request, or says why not. Interrupts may be on. */
	blk_status_t (*queue_rq)(struct request_queue *q,
				 struct request *rq);
	/* In softirq, on the CPU that submitted. */
	void (*complete)(struct request *rq);
};

#define BLK_MQ_MAX_DEPTH	64

struct queue_limits {
	unsigned int		max_sectors;
	unsigned short		max_segments;
	unsigned int		logical_block_size;
};

struct request_queue {
	const struct blk_mq_ops	*mq_ops;
	struct gendisk		*disk;
	struct queue_limits	limits;
	struct blk_trace	blk_trace;
	struct blk_mq_ctx	*queue_ctx;	/* one per CPU */
	struct delayed_work	run_work;	/* kblockd's */
	spinlock_t		stat_lock;
	unsigned int		in_flight[2];

	spinlock_t		tag_lock;
	unsigned int		nr_tags;
	DECLARE_BITMAP(tags, BLK_MQ_MAX_DEPTH);
	wait_queue_head_t	tag_wait;
	struct request		*rqs;		/* one per tag */
};

/* NULL if there is no memory. Every request gets @pdu_size bytes. */
struct request_queue *blk_mq_init_queue(const struct blk_mq_ops *ops,
					unsigned int depth, size_t pdu_size);
void blk_mq_start_request(struct request *rq);
void blk_mq_complete_request(struct request *rq);
void blk_mq_end_request(struct request *rq, blk_status_t error);
void __blk_mq_end_request(struct request *rq, blk_status_t error);
/* Whether anything of the request is left to do. */
bool blk_update_request(struct request *rq, blk_status_t error,
			unsigned int bytes);

#endif
