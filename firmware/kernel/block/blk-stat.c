/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting what disks do, for /proc/diskstats. */
#include <linux/jiffies.h>
#include <linux/kernel.h>

#include "blk.h"

/* Counts the jiffies since the last look if anything was in flight. */
static void update_io_ticks(struct request_queue *q, struct disk_stats *stats,
			    bool busy)
{
	unsigned long now = jiffies;

	if (now != stats->stamp) {
		if (busy)
			stats->io_ticks += now - stats->stamp;
		stats->stamp = now;
	}
}

void blk_account_io_start(struct request *rq)
{
	struct request_queue *q = rq->q;
	unsigned long flags;

	spin_lock_irqsave(&q->stat_lock, flags);
	update_io_ticks(q, &rq->part->bd_stats,
			q->in_flight[0] + q->in_flight[1]);
	q->in_flight[rq_data_dir(rq)]++;
	spin_unlock_irqrestore(&q->stat_lock, flags);
}

void blk_account_io_merge_bio(struct request *rq)
{
	struct request_queue *q = rq->q;
	unsigned long flags;

	spin_lock_irqsave(&q->stat_lock, flags);
	rq->part->bd_stats.merges[rq_data_dir(rq)]++;
	spin_unlock_irqrestore(&q->stat_lock, flags);
}

void blk_account_io_completion(struct request *rq, unsigned int bytes)
{
	struct request_queue *q = rq->q;
	unsigned long flags;

	spin_lock_irqsave(&q->stat_lock, flags);
	rq->part->bd_stats.sectors[rq_data_dir(rq)] += bytes >> SECTOR_SHIFT;
	spin_unlock_irqrestore(&q->stat_lock, flags);
}

void blk_account_io_done(struct request *rq, u64 now)
{
	struct disk_stats *stats = &rq->part->bd_stats;
	struct request_queue *q = rq->q;
	int dir = rq_data_dir(rq);
	unsigned long flags;

	spin_lock_irqsave(&q->stat_lock, flags);
	update_io_ticks(q, stats, true);
	q->in_flight[dir]--;
	stats->ios[dir]++;
	if (now > rq->start_time_ns)
		stats->nsecs[dir] += now - rq->start_time_ns;
	spin_unlock_irqrestore(&q->stat_lock, flags);
}
