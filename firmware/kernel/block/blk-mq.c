/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From bios to the driver: a bio joins a request or gets one of its own, which
 * waits in its task's plug, then in its CPU's software queue, until the queue
 * is run and the driver takes it.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <trace/events/block.h>

#include "blk.h"

static bool blk_mq_sched_bio_merge(struct request_queue *q, struct bio *bio,
				   unsigned int nr_segs)
{
	struct blk_mq_ctx *ctx = &q->queue_ctx[raw_smp_processor_id()];
	bool merged;

	if (list_empty(&ctx->rq_list))
		return false;
	spin_lock(&ctx->lock);
	merged = blk_bio_list_merge(q, &ctx->rq_list, bio, nr_segs);
	spin_unlock(&ctx->lock);
	return merged;
}

static bool blk_mq_attempt_bio_merge(struct request_queue *q, struct bio *bio,
				     unsigned int nr_segs)
{
	if (bio->bi_opf & REQ_NOMERGE)
		return false;
	return blk_attempt_plug_merge(q, bio, nr_segs) ||
	       blk_mq_sched_bio_merge(q, bio, nr_segs);
}

/* NULL: the bio has joined another request. */
static struct request *blk_mq_get_new_requests(struct request_queue *q,
					       struct bio *bio,
					       unsigned int nr_segs)
{
	if (blk_mq_attempt_bio_merge(q, bio, nr_segs))
		return NULL;
	return __blk_mq_alloc_requests(q, bio->bi_opf);
}

static void blk_mq_bio_to_request(struct request *rq, struct bio *bio,
				  unsigned int nr_segs)
{
	rq->__sector = bio->bi_iter.bi_sector;
	rq->__data_len = bio->bi_iter.bi_size;
	rq->nr_phys_segments = nr_segs;
	rq->bio = rq->biotail = bio;
	rq->part = bio->bi_bdev;
	bio->bi_next = NULL;
	blk_account_io_start(rq);
}

static void blk_add_rq_to_plug(struct blk_plug *plug, struct request *rq)
{
	if (plug->rq_count >= BLK_MAX_REQUEST_COUNT)
		blk_mq_flush_plug_list(plug, false);
	if (!plug->rq_count) {
		trace_block_plug(rq->q);
		blk_trace_plug(rq->q);
	}
	list_add_tail(&rq->queuelist, &plug->mq_list);
	plug->rq_count++;
}

static void __blk_mq_insert_request(struct request *rq)
{
	struct blk_mq_ctx *ctx = rq->mq_ctx;

	spin_lock(&ctx->lock);
	trace_block_rq_insert(rq);
	blk_trace_rq(rq, BLK_STS_OK, blk_rq_bytes(rq), BLK_TA_INSERT);
	list_add_tail(&rq->queuelist, &ctx->rq_list);
	spin_unlock(&ctx->lock);
}

void blk_mq_sched_insert_request(struct request *rq, bool run_queue,
				 bool async)
{
	__blk_mq_insert_request(rq);
	if (run_queue)
		blk_mq_run_hw_queue(rq->q, async);
}

/*
 * By a task with no spinlock held: sleeps until there is a request to be had.
 */
void blk_mq_submit_bio(struct bio *bio)
{
	struct request_queue *q = bdev_get_queue(bio->bi_bdev);
	unsigned int nr_segs = bio_nr_segments(bio);
	struct request *rq;

	rq = blk_mq_get_new_requests(q, bio, nr_segs);
	if (!rq)
		return;
	trace_block_getrq(bio);
	blk_trace_bio(bio, BLK_TA_GETRQ);
	blk_mq_bio_to_request(rq, bio, nr_segs);
	if (current->plug)
		blk_add_rq_to_plug(current->plug, rq);
	else
		blk_mq_sched_insert_request(rq, true, false);
}

static void blk_mq_insert_requests(struct request_queue *q,
				   struct list_head *list)
{
	struct request *rq, *next;

	list_for_each_entry_safe(rq, next, list, queuelist) {
		if (rq->q != q)
			continue;
		list_del_init(&rq->queuelist);
		__blk_mq_insert_request(rq);
	}
}

static void blk_mq_sched_insert_requests(struct request_queue *q,
					 struct list_head *list,
					 bool run_queue_async)
{
	blk_mq_insert_requests(q, list);
	blk_mq_run_hw_queue(q, run_queue_async);
}

/* How many of the requests are @q's. */
static unsigned int plug_depth(struct request_queue *q, struct list_head *list)
{
	unsigned int depth = 0;
	struct request *rq;

	list_for_each_entry(rq, list, queuelist)
		depth += rq->q == q;
	return depth;
}

static void blk_mq_dispatch_plug_list(struct list_head *list, bool from_sched)
{
	while (!list_empty(list)) {
		struct request_queue *q = list_first_entry(list, struct request,
							   queuelist)->q;

		if (trace_block_unplug_enabled())
			trace_block_unplug(q, plug_depth(q, list), !from_sched);
		if (static_branch_unlikely(&blk_trace_key))
			blk_add_trace_unplug(q, plug_depth(q, list),
					     !from_sched);
		blk_mq_sched_insert_requests(q, list, from_sched);
	}
}

/*
 * By the plug's task, with no spinlock held. The requests leave the plug before
 * anything can sleep and come back here. A task that is about to sleep has
 * kblockd do it.
 */
void blk_mq_flush_plug_list(struct blk_plug *plug, bool from_schedule)
{
	LIST_HEAD(list);

	list_splice_init(&plug->mq_list, &list);
	plug->rq_count = 0;
	blk_mq_dispatch_plug_list(&list, from_schedule);
}

/* Takes what waits in every CPU's software queue. */
static void blk_mq_flush_busy_ctxs(struct request_queue *q,
				   struct list_head *list)
{
	struct request *rq;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct blk_mq_ctx *ctx = &q->queue_ctx[cpu];

		if (list_empty(&ctx->rq_list))
			continue;
		spin_lock(&ctx->lock);
		while (!list_empty(&ctx->rq_list)) {
			rq = list_first_entry(&ctx->rq_list, struct request,
					      queuelist);
			list_move_tail(&rq->queuelist, list);
		}
		spin_unlock(&ctx->lock);
	}
}

/*
 * With no software queue locked. The driver has room for every request: there
 * are as many as it takes.
 */
static void blk_mq_dispatch_rq_list(struct request_queue *q,
				    struct list_head *list)
{
	while (!list_empty(list)) {
		struct request *rq = list_first_entry(list, struct request,
						      queuelist);
		blk_status_t status;

		list_del_init(&rq->queuelist);
		status = q->mq_ops->queue_rq(q, rq);
		if (status != BLK_STS_OK)
			blk_mq_end_request(rq, status);
	}
}

static void __blk_mq_sched_dispatch_requests(struct request_queue *q)
{
	LIST_HEAD(list);

	blk_mq_flush_busy_ctxs(q, &list);
	blk_mq_dispatch_rq_list(q, &list);
}

static void blk_mq_sched_dispatch_requests(struct request_queue *q)
{
	__blk_mq_sched_dispatch_requests(q);
}

static void __blk_mq_run_hw_queue(struct request_queue *q)
{
	blk_mq_sched_dispatch_requests(q);
}

static void blk_mq_run_work_fn(struct work_struct *work)
{
	__blk_mq_run_hw_queue(container_of(work, struct request_queue,
					   run_work.work));
}

void blk_mq_init_hctx(struct request_queue *q)
{
	INIT_DELAYED_WORK(&q->run_work, blk_mq_run_work_fn);
}

static void __blk_mq_delay_run_hw_queue(struct request_queue *q, bool async)
{
	if (async)
		kblockd_mod_delayed_work_on(WORK_CPU_UNBOUND,
					    &q->run_work, 0);
	else
		__blk_mq_run_hw_queue(q);
}

/*
 * With no software queue locked. @async: by kblockd, for who cannot do it now.
 */
void blk_mq_run_hw_queue(struct request_queue *q, bool async)
{
	__blk_mq_delay_run_hw_queue(q, async);
}

/* The driver calls it just before the device gets the request. */
void blk_mq_start_request(struct request *rq)
{
	trace_block_rq_issue(rq);
	blk_trace_rq(rq, BLK_STS_OK, blk_rq_bytes(rq), BLK_TA_ISSUE);
	rq->io_start_time_ns = ktime_get();
	WRITE_ONCE(rq->state, MQ_RQ_IN_FLIGHT);
}
