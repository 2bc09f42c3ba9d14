/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of kernel/block share only among themselves. */
#ifndef _BLK_H
#define _BLK_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>

/* blk-merge.c */
bool blk_attempt_plug_merge(struct request_queue *q, struct bio *bio,
			    unsigned int nr_segs);
bool blk_bio_list_merge(struct request_queue *q, struct list_head *list,
			struct bio *bio, unsigned int nr_segs);
enum elv_merge blk_try_merge(struct request *rq, struct bio *bio);
void blk_mq_sched_insert_request(struct request *rq, bool run_queue,
				 bool async);
unsigned int bio_nr_segments(const struct bio *bio);

/* blk-mq.c */
void blk_mq_submit_bio(struct bio *bio);
void blk_mq_flush_plug_list(struct blk_plug *plug, bool from_schedule);
bool kblockd_mod_delayed_work_on(int cpu, struct delayed_work *dwork,
				 unsigned long delay);
void blk_mq_init_hctx(struct request_queue *q);
/* @async: by kblockd. */
void blk_mq_run_hw_queue(struct request_queue *q, bool async);

/* blk-mq-tag.c */
struct request *__blk_mq_alloc_requests(struct request_queue *q,
					blk_opf_t opf);
void blk_mq_free_request(struct request *rq);

/* blk-stat.c: accounting for /proc/diskstats */
void blk_account_io_start(struct request *rq);
void blk_account_io_completion(struct request *rq, unsigned int bytes);
void blk_account_io_done(struct request *rq, u64 now);
void blk_account_io_merge_bio(struct request *rq);

#endif
