/* SPDX-License-Identifier: GPL-2.0-only */
/* Making one request of bios on adjacent sectors. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <trace/events/block.h>

#include "blk.h"

enum elv_merge {
	ELEVATOR_NO_MERGE,
	ELEVATOR_FRONT_MERGE,
	ELEVATOR_BACK_MERGE,
};

enum bio_merge_status {
	BIO_MERGE_OK,
	BIO_MERGE_NONE,
	BIO_MERGE_FAILED,
};

unsigned int bio_nr_segments(const struct bio *bio)
{
	return bio->bi_vcnt - bio->bi_iter.bi_idx;
}

enum elv_merge blk_try_merge(struct request *rq, struct bio *bio)
{
	if (blk_rq_pos(rq) + blk_rq_sectors(rq) == bio->bi_iter.bi_sector)
		return ELEVATOR_BACK_MERGE;
	if (blk_rq_pos(rq) - bio_sectors(bio) == bio->bi_iter.bi_sector)
		return ELEVATOR_FRONT_MERGE;
	return ELEVATOR_NO_MERGE;
}

static bool blk_rq_merge_ok(struct request *rq, struct bio *bio)
{
	return req_op(rq) == bio_op(bio) && rq->part == bio->bi_bdev &&
	       !((rq->cmd_flags | bio->bi_opf) & REQ_NOMERGE);
}

/* Whether the request may become that much longer. */
static bool ll_merge_fits(struct request *rq, struct bio *bio,
			  unsigned int nr_segs)
{
	const struct queue_limits *limits = &rq->q->limits;

	return blk_rq_sectors(rq) + bio_sectors(bio) <= limits->max_sectors &&
	       rq->nr_phys_segments + nr_segs <= limits->max_segments;
}

static bool ll_back_merge_fn(struct request *rq, struct bio *bio,
			     unsigned int nr_segs)
{
	return ll_merge_fits(rq, bio, nr_segs);
}

static bool ll_front_merge_fn(struct request *rq, struct bio *bio,
			      unsigned int nr_segs)
{
	return ll_merge_fits(rq, bio, nr_segs);
}

static enum bio_merge_status bio_attempt_back_merge(struct request *rq,
						    struct bio *bio,
						    unsigned int nr_segs)
{
	if (!ll_back_merge_fn(rq, bio, nr_segs))
		return BIO_MERGE_FAILED;
	trace_block_bio_backmerge(bio);
	blk_trace_bio(bio, BLK_TA_BACKMERGE);
	rq->biotail->bi_next = bio;
	rq->biotail = bio;
	rq->__data_len += bio->bi_iter.bi_size;
	rq->nr_phys_segments += nr_segs;
	blk_account_io_merge_bio(rq);
	return BIO_MERGE_OK;
}

static enum bio_merge_status bio_attempt_front_merge(struct request *rq,
						     struct bio *bio,
						     unsigned int nr_segs)
{
	if (!ll_front_merge_fn(rq, bio, nr_segs))
		return BIO_MERGE_FAILED;
	trace_block_bio_frontmerge(bio);
	blk_trace_bio(bio, BLK_TA_FRONTMERGE);
	bio->bi_next = rq->bio;
	rq->bio = bio;
	rq->__sector = bio->bi_iter.bi_sector;
	rq->__data_len += bio->bi_iter.bi_size;
	rq->nr_phys_segments += nr_segs;
	blk_account_io_merge_bio(rq);
	return BIO_MERGE_OK;
}

static enum bio_merge_status blk_attempt_bio_merge(struct request_queue *q,
						   struct request *rq,
						   struct bio *bio,
						   unsigned int nr_segs)
{
	if (!blk_rq_merge_ok(rq, bio))
		return BIO_MERGE_NONE;
	switch (blk_try_merge(rq, bio)) {
	case ELEVATOR_BACK_MERGE:
		return bio_attempt_back_merge(rq, bio, nr_segs);
	case ELEVATOR_FRONT_MERGE:
		return bio_attempt_front_merge(rq, bio, nr_segs);
	default:
		return BIO_MERGE_NONE;
	}
}

/* Only the latest request: sequential I/O is what plugs are for. */
bool blk_attempt_plug_merge(struct request_queue *q, struct bio *bio,
			    unsigned int nr_segs)
{
	struct blk_plug *plug = current->plug;
	struct request *rq;

	if (!plug || list_empty(&plug->mq_list))
		return false;
	list_for_each_entry_reverse(rq, &plug->mq_list, queuelist)
		if (rq->q == q)
			return blk_attempt_bio_merge(q, rq, bio, nr_segs) ==
			       BIO_MERGE_OK;
	return false;
}

/* The latest few of a queue, which its lock protects. */
bool blk_bio_list_merge(struct request_queue *q, struct list_head *list,
			struct bio *bio, unsigned int nr_segs)
{
	struct request *rq;
	int checked = 8;

	list_for_each_entry_reverse(rq, list, queuelist) {
		if (!checked--)
			break;
		switch (blk_attempt_bio_merge(q, rq, bio, nr_segs)) {
		case BIO_MERGE_NONE:
			continue;
		case BIO_MERGE_OK:
			return true;
		case BIO_MERGE_FAILED:
			return false;
		}
	}
	return false;
}
