/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests are few and made once; a tag is the right to use one. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "blk.h"

static int __blk_mq_get_tag(struct request_queue *q)
{
	unsigned long flags;
	unsigned int tag;

	spin_lock_irqsave(&q->tag_lock, flags);
	tag = find_next_zero_bit(q->tags, q->nr_tags, 0);
	if (tag < q->nr_tags)
		__set_bit(tag, q->tags);
	spin_unlock_irqrestore(&q->tag_lock, flags);
	return tag < q->nr_tags ? (int)tag : -1;
}

/*
 * By a task with no spinlock held: sleeps until there is one. What this task
 * holds back must go first.
 */
static int blk_mq_get_tag(struct request_queue *q)
{
	int tag = __blk_mq_get_tag(q);

	if (tag < 0) {
		blk_flush_plug(current->plug, false);
		blk_mq_run_hw_queue(q, false);
		wait_event(q->tag_wait, (tag = __blk_mq_get_tag(q)) >= 0);
	}
	return tag;
}

static void blk_mq_put_tag(struct request_queue *q, int tag)
{
	unsigned long flags;

	spin_lock_irqsave(&q->tag_lock, flags);
	__clear_bit(tag, q->tags);
	spin_unlock_irqrestore(&q->tag_lock, flags);
	if (waitqueue_active(&q->tag_wait))
		wake_up(&q->tag_wait);
}

static struct request *blk_mq_rq_ctx_init(struct request_queue *q, int tag,
					  blk_opf_t opf)
{
	struct request *rq = &q->rqs[tag];

	rq->mq_ctx = &q->queue_ctx[raw_smp_processor_id()];
	rq->cmd_flags = opf;
	rq->tag = tag;
	rq->bio = rq->biotail = NULL;
	rq->__data_len = 0;
	rq->part = NULL;
	rq->state = MQ_RQ_IDLE;
	INIT_LIST_HEAD(&rq->queuelist);
	rq->start_time_ns = ktime_get();
	rq->io_start_time_ns = 0;
	return rq;
}

struct request *__blk_mq_alloc_requests(struct request_queue *q, blk_opf_t opf)
{
	return blk_mq_rq_ctx_init(q, blk_mq_get_tag(q), opf);
}

static void __blk_mq_free_request(struct request *rq)
{
	blk_mq_put_tag(rq->q, rq->tag);
}

void blk_mq_free_request(struct request *rq)
{
	rq->state = MQ_RQ_IDLE;
	__blk_mq_free_request(rq);
}

/* The requests, and what the driver wants with each. */
static int blk_mq_alloc_rqs(struct request_queue *q, size_t pdu_size)
{
	unsigned int i;

	q->rqs = kcalloc(q->nr_tags, sizeof(*q->rqs), GFP_KERNEL);
	if (!q->rqs)
		return -ENOMEM;
	for (i = 0; i < q->nr_tags; i++) {
		q->rqs[i].q = q;
		q->rqs[i].pdu = kzalloc(pdu_size, GFP_KERNEL);
		if (!q->rqs[i].pdu)
			return -ENOMEM;
	}
	return 0;
}

static void blk_mq_free_queue(struct request_queue *q)
{
	unsigned int i;

	for (i = 0; q->rqs && i < q->nr_tags; i++)
		kfree(q->rqs[i].pdu);
	kfree(q->rqs);
	kfree(q->queue_ctx);
	kfree(q);
}

struct request_queue *blk_mq_init_queue(const struct blk_mq_ops *ops,
					unsigned int depth, size_t pdu_size)
{
	struct request_queue *q = kzalloc(sizeof(*q), GFP_KERNEL);
	unsigned int cpu;

	if (!q)
		return NULL;
	q->mq_ops = ops;
	q->nr_tags = min_t(unsigned int, depth, BLK_MQ_MAX_DEPTH);
	q->limits = (struct queue_limits){
		.max_sectors = 1024,
		.max_segments = BIO_MAX_VECS,
		.logical_block_size = SECTOR_SIZE,
	};
	blk_mq_init_hctx(q);
	spin_lock_init(&q->stat_lock);
	spin_lock_init(&q->tag_lock);
	init_waitqueue_head(&q->tag_wait);
	q->queue_ctx = kcalloc(nr_cpu_ids, sizeof(*q->queue_ctx), GFP_KERNEL);
	if (!q->queue_ctx || blk_mq_alloc_rqs(q, pdu_size)) {
		blk_mq_free_queue(q);
		return NULL;
	}
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct blk_mq_ctx *ctx = &q->queue_ctx[cpu];

		spin_lock_init(&ctx->lock);
		INIT_LIST_HEAD(&ctx->rq_list);
		ctx->cpu = cpu;
		ctx->queue = q;
	}
	return q;
}
