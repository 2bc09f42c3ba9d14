/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done to a disk: how traces spell it, and the tracer blk. */
#ifndef _LINUX_BLKTRACE_API_H
#define _LINUX_BLKTRACE_API_H

#include <linux/blk_types.h>
#include <linux/jump_label.h>
#include <linux/trace_events.h>

#define RWBS_LEN	8

void blk_fill_rwbs(char *rwbs, blk_opf_t opf);

/* Categories of actions: the upper half of an action, and what act_mask has. */
#define BLK_TC_READ	(1 << 0)
#define BLK_TC_WRITE	(1 << 1)
#define BLK_TC_FLUSH	(1 << 2)
#define BLK_TC_SYNC	(1 << 3)
#define BLK_TC_QUEUE	(1 << 4)	/* queueing and merging */
#define BLK_TC_ISSUE	(1 << 6)
#define BLK_TC_COMPLETE	(1 << 7)
#define BLK_TC_FS	(1 << 8)	/* of a request */
#define BLK_TC_META	(1 << 12)
#define BLK_TC_ALL	0xffff

#define BLK_TC_SHIFT	16
#define BLK_TC_ACT(act)	((u32)(act) << BLK_TC_SHIFT)

/* What happens to a bio or a request. */
#define BLK_TA_QUEUE		(1 | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_BACKMERGE	(2 | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_FRONTMERGE	(3 | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_GETRQ		(4 | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_ISSUE		(7 | BLK_TC_ACT(BLK_TC_ISSUE))
#define BLK_TA_COMPLETE		(8 | BLK_TC_ACT(BLK_TC_COMPLETE))
#define BLK_TA_PLUG		(9 | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_UNPLUG_IO	(10 | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_UNPLUG_TIMER	(11 | BLK_TC_ACT(BLK_TC_QUEUE))
#define BLK_TA_INSERT		(12 | BLK_TC_ACT(BLK_TC_QUEUE))

/* An entry of the tracer. @pdu_len bytes follow. */
struct blk_io_trace {
	struct trace_entry ent;
	u64 time;		/* not used: the ring buffer has it */
	u64 sector;
	u32 bytes;
	u32 action;
	u32 pid;
	u32 device;
	u32 cpu;
	u16 error;
	u16 pdu_len;
};

/* What is traced of a disk. */
struct blk_trace {
	bool enabled;
	u16 act_mask;		/* actions of one of these categories */
	u32 pid;		/* of this task; 0: of all */
	u64 start_lba;		/* sectors, from the first */
	u64 end_lba;		/* to the last */
};

/* On while the tracer is blk. */
DECLARE_STATIC_KEY_FALSE(blk_trace_key);

void blk_add_trace_bio(struct bio *bio, u32 what);
void blk_add_trace_rq(struct request *rq, blk_status_t error,
		      unsigned int bytes, u32 what);
void blk_add_trace_plug(struct request_queue *q);
void blk_add_trace_unplug(struct request_queue *q, unsigned int depth,
			  bool explicit);

static __always_inline void blk_trace_bio(struct bio *bio, u32 what)
{
	if (static_branch_unlikely(&blk_trace_key))
		blk_add_trace_bio(bio, what);
}

static __always_inline void blk_trace_rq(struct request *rq, blk_status_t error,
					 unsigned int bytes, u32 what)
{
	if (static_branch_unlikely(&blk_trace_key))
		blk_add_trace_rq(rq, error, bytes, what);
}

static __always_inline void blk_trace_plug(struct request_queue *q)
{
	if (static_branch_unlikely(&blk_trace_key))
		blk_add_trace_plug(q);
}

struct attribute_group;
extern const struct attribute_group blk_trace_attr_group;

#endif
