/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the device's interrupt to the end of bios: the request goes to the CPU
 * that submitted it, by an interrupt if that is another one, and ends there in
 * a softirq.
 */
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <trace/events/block.h>

#include "blk.h"

struct blk_done {
	raw_spinlock_t lock;
	struct list_head list;
};

static DEFINE_PER_CPU(struct blk_done, blk_cpu_done);

/* Whether the list was empty: then somebody must look at it. */
static bool blk_done_add(struct request *rq, unsigned int cpu)
{
	struct blk_done *done = per_cpu_ptr(&blk_cpu_done, cpu);
	unsigned long flags;
	bool first;

	raw_spin_lock_irqsave(&done->lock, flags);
	first = list_empty(&done->list);
	list_add_tail(&rq->ipi_list, &done->list);
	raw_spin_unlock_irqrestore(&done->lock, flags);
	return first;
}

static void __blk_mq_complete_request_remote(void *data)
{
	raise_softirq_irqoff(BLOCK_SOFTIRQ);
}

static void blk_mq_complete_send_ipi(struct request *rq)
{
	unsigned int cpu = rq->mq_ctx->cpu;

	if (!blk_done_add(rq, cpu))
		return;
	rq->csd.func = __blk_mq_complete_request_remote;
	rq->csd.info = rq;
	smp_call_function_single_async(cpu, &rq->csd);
}

static void blk_mq_raise_softirq(struct request *rq)
{
	if (blk_done_add(rq, raw_smp_processor_id()))
		raise_softirq(BLOCK_SOFTIRQ);
}

static bool blk_mq_complete_need_ipi(struct request *rq)
{
	return rq->mq_ctx->cpu != raw_smp_processor_id();
}

static void blk_mq_complete_request_remote(struct request *rq)
{
	WRITE_ONCE(rq->state, MQ_RQ_COMPLETE);
	if (blk_mq_complete_need_ipi(rq))
		blk_mq_complete_send_ipi(rq);
	else
		blk_mq_raise_softirq(rq);
}

/*
 * The device has done the request. Called by its interrupt, with interrupts
 * off.
 */
void blk_mq_complete_request(struct request *rq)
{
	blk_mq_complete_request_remote(rq);
}

static void blk_complete_reqs(struct list_head *list)
{
	struct request *rq;

	while (!list_empty(list)) {
		rq = list_first_entry(list, struct request, ipi_list);
		list_del_init(&rq->ipi_list);
		rq->q->mq_ops->complete(rq);
	}
}

/*
 * BLOCK_SOFTIRQ, with interrupts on: bios end here, so what they call must not
 * sleep.
 */
static void blk_done_softirq(struct softirq_action *action)
{
	struct blk_done *done = this_cpu_ptr(&blk_cpu_done);
	unsigned long flags;
	LIST_HEAD(list);

	raw_spin_lock_irqsave(&done->lock, flags);
	list_splice_init(&done->list, &list);
	raw_spin_unlock_irqrestore(&done->lock, flags);
	blk_complete_reqs(&list);
}

static void blk_print_req_error(struct request *rq)
{
	pr_warn("I/O error, dev %s, sector %llu op 0x%x:(%s) flags 0x%x phys_seg %u prio class 0\n",
		rq->q->disk->disk_name, blk_rq_pos(rq), req_op(rq),
		rq_data_dir(rq) ? "WRITE" : "READ",
		rq->cmd_flags & ~REQ_OP_MASK, rq->nr_phys_segments);
}

/* @bytes of the bio have been done. */
static void req_bio_endio(struct request *rq, struct bio *bio,
			  unsigned int bytes, blk_status_t error)
{
	if (error)
		bio->bi_status = error;
	bio_advance(bio, bytes);
	if (!bio->bi_iter.bi_size)
		bio_endio(bio);
}

bool blk_update_request(struct request *rq, blk_status_t error,
			unsigned int bytes)
{
	trace_block_rq_complete(rq, error, bytes);
	blk_trace_rq(rq, error, bytes, BLK_TA_COMPLETE);
	if (error) {
		blk_print_req_error(rq);
		trace_block_rq_error(rq, error, bytes);
	}
	blk_account_io_completion(rq, bytes);
	rq->__sector += bytes >> SECTOR_SHIFT;
	rq->__data_len -= bytes;
	while (bytes && rq->bio) {
		struct bio *bio = rq->bio;
		unsigned int now = min(bio->bi_iter.bi_size, bytes);

		if (now == bio->bi_iter.bi_size)
			rq->bio = bio->bi_next;
		bytes -= now;
		req_bio_endio(rq, bio, now, error);
	}
	return rq->bio;
}

void __blk_mq_end_request(struct request *rq, blk_status_t error)
{
	blk_account_io_done(rq, ktime_get());
	blk_mq_free_request(rq);
}

/*
 * Ends its bios, and lets the next one have the request, which is not the
 * caller's any more.
 */
void blk_mq_end_request(struct request *rq, blk_status_t error)
{
	blk_update_request(rq, error, blk_rq_bytes(rq));
	__blk_mq_end_request(rq, error);
}

static int __init blk_mq_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct blk_done *done = per_cpu_ptr(&blk_cpu_done, cpu);

		raw_spin_lock_init(&done->lock);
		INIT_LIST_HEAD(&done->list);
	}
	open_softirq(BLOCK_SOFTIRQ, blk_done_softirq);
	return 0;
}
subsys_initcall(blk_mq_init);
