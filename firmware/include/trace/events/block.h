/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM block

#if !defined(_TRACE_BLOCK_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_BLOCK_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
#include <linux/buffer_head.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(block_buffer,
	TP_PROTO(struct buffer_head *bh),
	TP_ARGS(bh),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(sector_t, sector)
		__field(size_t, size)
	),
	TP_fast_assign(
		__entry->dev = bh->b_bdev->bd_dev;
		__entry->sector = bh->b_blocknr;
		__entry->size = bh->b_size;
	),
	TP_printk("%d,%d sector=%llu size=%zu",
		MAJOR(__entry->dev), MINOR(__entry->dev),
		(unsigned long long)__entry->sector, __entry->size)
);

DEFINE_EVENT(block_buffer, block_touch_buffer,
	TP_PROTO(struct buffer_head *bh),
	TP_ARGS(bh)
);

DEFINE_EVENT(block_buffer, block_dirty_buffer,
	TP_PROTO(struct buffer_head *bh),
	TP_ARGS(bh)
);

/* Commands of the device's own, which cmd is for, are never sent. */
DECLARE_EVENT_CLASS(block_rq_completion,
	TP_PROTO(struct request *rq, blk_status_t error,
		 unsigned int nr_bytes),
	TP_ARGS(rq, error, nr_bytes),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(sector_t, sector)
		__field(unsigned int, nr_sector)
		__field(int, error)
		__array(char, rwbs, RWBS_LEN)
		__dynamic_array(char, cmd, 1)
	),
	TP_fast_assign(
		__entry->dev = disk_devt(rq->q->disk);
		__entry->sector = blk_rq_pos(rq);
		__entry->nr_sector = nr_bytes >> SECTOR_SHIFT;
		__entry->error = blk_status_to_errno(error);
		blk_fill_rwbs(__entry->rwbs, rq->cmd_flags);
		__get_str(cmd)[0] = '\0';
	),
	TP_printk("%d,%d %s (%s) %llu + %u [%d]",
		MAJOR(__entry->dev), MINOR(__entry->dev), __entry->rwbs,
		__get_str(cmd), (unsigned long long)__entry->sector,
		__entry->nr_sector, __entry->error)
);

DEFINE_EVENT(block_rq_completion, block_rq_complete,
	TP_PROTO(struct request *rq, blk_status_t error,
		 unsigned int nr_bytes),
	TP_ARGS(rq, error, nr_bytes)
);

DEFINE_EVENT(block_rq_completion, block_rq_error,
	TP_PROTO(struct request *rq, blk_status_t error,
		 unsigned int nr_bytes),
	TP_ARGS(rq, error, nr_bytes)
);

DECLARE_EVENT_CLASS(block_rq,
	TP_PROTO(struct request *rq),
	TP_ARGS(rq),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(sector_t, sector)
		__field(unsigned int, nr_sector)
		__field(unsigned int, bytes)
		__array(char, rwbs, RWBS_LEN)
		__array(char, comm, TASK_COMM_LEN)
		__dynamic_array(char, cmd, 1)
	),
	TP_fast_assign(
		__entry->dev = disk_devt(rq->q->disk);
		__entry->sector = blk_rq_pos(rq);
		__entry->nr_sector = blk_rq_sectors(rq);
		__entry->bytes = blk_rq_bytes(rq);
		blk_fill_rwbs(__entry->rwbs, rq->cmd_flags);
		__get_str(cmd)[0] = '\0';
		memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
	),
	TP_printk("%d,%d %s %u (%s) %llu + %u [%s]",
		MAJOR(__entry->dev), MINOR(__entry->dev), __entry->rwbs,
		__entry->bytes, __get_str(cmd),
		(unsigned long long)__entry->sector, __entry->nr_sector,
		__entry->comm)
);

DEFINE_EVENT(block_rq, block_rq_insert,
	TP_PROTO(struct request *rq),
	TP_ARGS(rq)
);

DEFINE_EVENT(block_rq, block_rq_issue,
	TP_PROTO(struct request *rq),
	TP_ARGS(rq)
);

DECLARE_EVENT_CLASS(block_bio,
	TP_PROTO(struct bio *bio),
	TP_ARGS(bio),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(sector_t, sector)
		__field(unsigned int, nr_sector)
		__array(char, rwbs, RWBS_LEN)
		__array(char, comm, TASK_COMM_LEN)
	),
	TP_fast_assign(
		__entry->dev = bio_dev(bio);
		__entry->sector = bio->bi_iter.bi_sector;
		__entry->nr_sector = bio_sectors(bio);
		blk_fill_rwbs(__entry->rwbs, bio->bi_opf);
		memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
	),
	TP_printk("%d,%d %s %llu + %u [%s]",
		MAJOR(__entry->dev), MINOR(__entry->dev), __entry->rwbs,
		(unsigned long long)__entry->sector, __entry->nr_sector,
		__entry->comm)
);

DEFINE_EVENT(block_bio, block_bio_backmerge,
	TP_PROTO(struct bio *bio),
	TP_ARGS(bio)
);

DEFINE_EVENT(block_bio, block_bio_frontmerge,
	TP_PROTO(struct bio *bio),
	TP_ARGS(bio)
);

DEFINE_EVENT(block_bio, block_bio_queue,
	TP_PROTO(struct bio *bio),
	TP_ARGS(bio)
);

DEFINE_EVENT(block_bio, block_getrq,
	TP_PROTO(struct bio *bio),
	TP_ARGS(bio)
);

TRACE_EVENT(block_plug,
	TP_PROTO(struct request_queue *q),
	TP_ARGS(q),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
	),
	TP_fast_assign(
		memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
	),
	TP_printk("[%s]", __entry->comm)
);

DECLARE_EVENT_CLASS(block_unplug,
	TP_PROTO(struct request_queue *q, unsigned int depth, bool explicit),
	TP_ARGS(q, depth, explicit),
	TP_STRUCT__entry(
		__field(int, nr_rq)
		__array(char, comm, TASK_COMM_LEN)
	),
	TP_fast_assign(
		__entry->nr_rq = depth;
		memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
	),
	TP_printk("[%s] %d", __entry->comm, __entry->nr_rq)
);

DEFINE_EVENT(block_unplug, block_unplug,
	TP_PROTO(struct request_queue *q, unsigned int depth, bool explicit),
	TP_ARGS(q, depth, explicit)
);

#endif

#include <trace/define_trace.h>
