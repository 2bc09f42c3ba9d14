/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens to the requests of a disk. The tracer blk records it for disks
 * whose trace/enable in /sys/block is 1; the files beside it choose what. Like
 * all that records, nothing here is traced.
 */
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_entries.h>

DEFINE_STATIC_KEY_FALSE(blk_trace_key);

/* Writes RWBS_LEN bytes at most: a letter for the operation and for each flag. */
notrace void blk_fill_rwbs(char *rwbs, blk_opf_t opf)
{
	if (opf & REQ_PREFLUSH)
		*rwbs++ = 'F';
	switch (opf & REQ_OP_MASK) {
	case REQ_OP_READ:
		*rwbs++ = 'R';
		break;
	case REQ_OP_WRITE:
		*rwbs++ = 'W';
		break;
	case REQ_OP_FLUSH:
		*rwbs++ = 'F';
		break;
	default:
		*rwbs++ = 'N';
	}
	if (opf & REQ_SYNC)
		*rwbs++ = 'S';
	if (opf & REQ_META)
		*rwbs++ = 'M';
	*rwbs = '\0';
}

/* The categories by their bits, as act_mask names them. */
static const char *const blk_tc_names[] = {
	"read", "write", "flush", "sync", "queue", "requeue", "issue",
	"complete", "fs", "pc", "notify", "ahead", "meta", "discard",
	"drv_data", "fua",
};

static notrace bool act_log_check(const struct blk_trace *bt, u32 what,
				  sector_t sector)
{
	if (!(BLK_TC_ACT(bt->act_mask) & what))
		return false;
	if (sector && (sector < bt->start_lba || sector > bt->end_lba))
		return false;
	return !bt->pid || bt->pid == current->pid;
}

static notrace void __blk_add_trace(struct request_queue *q, sector_t sector,
				    unsigned int bytes, blk_opf_t opf, u32 what,
				    int error, const void *pdu, u16 pdu_len)
{
	struct blk_io_trace t;

	if (!READ_ONCE(q->blk_trace.enabled))
		return;
	what |= BLK_TC_ACT(op_is_write(opf) ? BLK_TC_WRITE : BLK_TC_READ);
	if (opf & REQ_SYNC)
		what |= BLK_TC_ACT(BLK_TC_SYNC);
	if (opf & REQ_META)
		what |= BLK_TC_ACT(BLK_TC_META);
	if (opf & REQ_PREFLUSH)
		what |= BLK_TC_ACT(BLK_TC_FLUSH);
	if (!act_log_check(&q->blk_trace, what, sector))
		return;
	t = (struct blk_io_trace){
		.sector		= sector,
		.bytes		= bytes,
		.action		= what,
		.pid		= current->pid,
		.device		= disk_devt(q->disk),
		.cpu		= raw_smp_processor_id(),
		.error		= error,
		.pdu_len	= pdu_len,
	};
	trace_entry_commit_data(TRACE_BLK, &t.ent, pdu, pdu_len);
}

notrace void blk_add_trace_bio(struct bio *bio, u32 what)
{
	__blk_add_trace(bdev_get_queue(bio->bi_bdev), bio->bi_iter.bi_sector,
			bio->bi_iter.bi_size, bio->bi_opf, what, 0, "", 0);
}

notrace void blk_add_trace_rq(struct request *rq, blk_status_t error,
			      unsigned int bytes, u32 what)
{
	__blk_add_trace(rq->q, blk_rq_pos(rq), bytes, rq->cmd_flags,
			what | BLK_TC_ACT(BLK_TC_FS),
			blk_status_to_errno(error), "", 0);
}

notrace void blk_add_trace_plug(struct request_queue *q)
{
	__blk_add_trace(q, 0, 0, 0, BLK_TA_PLUG, 0, "", 0);
}

notrace void blk_add_trace_unplug(struct request_queue *q, unsigned int depth,
				  bool explicit)
{
	u32 what = explicit ? BLK_TA_UNPLUG_IO : BLK_TA_UNPLUG_TIMER;
	u8 pdu[8] = { };

	/* A big-endian number on every CPU. */
	for (int i = 7; depth; depth >>= 8)
		pdu[i--] = depth;
	__blk_add_trace(q, 0, 0, 0, what, 0, pdu, sizeof(pdu));
}

/* Setting up one disk at a time. */
static DEFINE_MUTEX(blk_trace_mutex);

static notrace void blk_trace_setup_queue(struct gendisk *disk)
{
	struct blk_trace *bt = &disk->queue->blk_trace;

	bt->act_mask = BLK_TC_ALL;
	bt->pid = 0;
	bt->start_lba = 0;
	bt->end_lba = bdev_nr_sectors(disk->part0);
	smp_store_release(&bt->enabled, true);
}

/* A mask, or -EINVAL for a list with a word that is no category. */
static notrace int blk_trace_str2mask(const char *str)
{
	char *buf = kstrdup(str, GFP_KERNEL), *s, *token;
	int mask = 0;

	if (!buf)
		return -ENOMEM;
	s = strim(buf);
	while (mask >= 0 && (token = strsep(&s, ","))) {
		unsigned int bit = 0;

		if (!*token)
			continue;
		while (bit < ARRAY_SIZE(blk_tc_names) &&
		       strcasecmp(token, blk_tc_names[bit]))
			bit++;
		if (bit < ARRAY_SIZE(blk_tc_names))
			mask |= 1 << bit;
		else
			mask = -EINVAL;
	}
	kfree(buf);
	return mask;
}

static notrace ssize_t blk_trace_mask2str(char *buf, unsigned int mask)
{
	unsigned int bit;
	int len = 0;

	for (bit = 0; bit < ARRAY_SIZE(blk_tc_names); bit++)
		if (mask & (1 << bit))
			len += sysfs_emit_at(buf, len, "%s%s", len ? "," : "",
					     blk_tc_names[bit]);
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t blk_trace_attr_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf);
static ssize_t blk_trace_attr_store(struct kobject *kobj,
				    struct kobj_attribute *attr,
				    const char *buf, size_t count);

#define BLK_TRACE_ATTR(name)						\
	static struct kobj_attribute attr_##name =			\
		__ATTR(name, 0644, blk_trace_attr_show, blk_trace_attr_store)
BLK_TRACE_ATTR(enable);
BLK_TRACE_ATTR(act_mask);
BLK_TRACE_ATTR(pid);
BLK_TRACE_ATTR(start_lba);
BLK_TRACE_ATTR(end_lba);

static struct attribute *blk_trace_attrs[] = {
	&attr_enable.attr,
	&attr_act_mask.attr,
	&attr_pid.attr,
	&attr_start_lba.attr,
	&attr_end_lba.attr,
	NULL
};

const struct attribute_group blk_trace_attr_group = {
	.name	= "trace",
	.attrs	= blk_trace_attrs,
};

static notrace ssize_t blk_trace_attr_show(struct kobject *kobj,
					   struct kobj_attribute *attr,
					   char *buf)
{
	struct gendisk *disk = container_of(kobj, struct gendisk, kobj);
	struct blk_trace *bt = &disk->queue->blk_trace;
	ssize_t ret;

	mutex_lock(&blk_trace_mutex);
	if (attr == &attr_enable)
		ret = sysfs_emit(buf, "%u\n", bt->enabled);
	else if (!bt->enabled)
		ret = sysfs_emit(buf, "disabled\n");
	else if (attr == &attr_act_mask)
		ret = blk_trace_mask2str(buf, bt->act_mask);
	else if (attr == &attr_pid)
		ret = sysfs_emit(buf, "%u\n", bt->pid);
	else
		ret = sysfs_emit(buf, "%llu\n", attr == &attr_start_lba ?
				 bt->start_lba : bt->end_lba);
	mutex_unlock(&blk_trace_mutex);
	return ret;
}

/* Whatever is set turns the tracing of the disk on. */
static notrace void blk_trace_attr_set(struct gendisk *disk,
				       struct kobj_attribute *attr, u64 value)
{
	struct blk_trace *bt = &disk->queue->blk_trace;

	if (attr == &attr_enable && !value) {
		WRITE_ONCE(bt->enabled, false);
		return;
	}
	if (!bt->enabled)
		blk_trace_setup_queue(disk);
	if (attr == &attr_act_mask)
		bt->act_mask = value;
	else if (attr == &attr_pid)
		bt->pid = value;
	else if (attr == &attr_start_lba)
		bt->start_lba = value;
	else if (attr == &attr_end_lba)
		bt->end_lba = value;
}

static notrace ssize_t blk_trace_attr_store(struct kobject *kobj,
					    struct kobj_attribute *attr,
					    const char *buf, size_t count)
{
	struct gendisk *disk = container_of(kobj, struct gendisk, kobj);
	unsigned long long value;

	if (kstrtoull(buf, 0, &value)) {
		int mask = -EINVAL;

		if (attr == &attr_act_mask)
			mask = blk_trace_str2mask(buf);
		if (mask < 0)
			return mask;
		value = mask;
	}
	mutex_lock(&blk_trace_mutex);
	blk_trace_attr_set(disk, attr, value);
	mutex_unlock(&blk_trace_mutex);
	return count;
}
