/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long tasks wait and sleep. The beginning may have been missed, because
 * the events were off, or be that of a time long past: it counts only if the
 * task has not run since.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include "stats.h"

DEFINE_STATIC_KEY_FALSE(sched_schedstats);

static void stats_start(struct rq *rq, struct task_struct *p, u64 *start)
{
	*start = rq_clock(rq);
	p->stats.ran = p->se.sum_exec_runtime;
}

/* False: it is not known when it began. */
static bool stats_end(struct rq *rq, struct task_struct *p, u64 *start,
		      u64 *delta)
{
	bool known = *start && p->stats.ran == p->se.sum_exec_runtime;

	if (known)
		*delta = max_t(s64, rq_clock(rq) - *start, 0);
	*start = 0;
	return known;
}

/* What it has waited on another queue counts, too. */
static void update_stats_wait_start(struct rq *rq, struct task_struct *p)
{
	u64 before = task_on_rq_migrating(p) ? p->stats.wait_start : 0;

	stats_start(rq, p, &p->stats.wait_start);
	p->stats.wait_start -= before;
}

static void update_stats_wait_end(struct rq *rq, struct task_struct *p)
{
	u64 delta;

	if (!stats_end(rq, p, &p->stats.wait_start, &delta))
		return;
	if (task_on_rq_migrating(p))
		p->stats.wait_start = delta;
	else
		trace_sched_stat_wait(p, delta);
}

static void update_stats_dequeue_sleeper(struct rq *rq, struct task_struct *p)
{
	unsigned int state = READ_ONCE(p->__state);

	if (state & TASK_INTERRUPTIBLE)
		stats_start(rq, p, &p->stats.sleep_start);
	if (state & TASK_UNINTERRUPTIBLE)
		stats_start(rq, p, &p->stats.block_start);
}

static void update_stats_enqueue_sleeper(struct rq *rq, struct task_struct *p)
{
	u64 delta;

	if (stats_end(rq, p, &p->stats.sleep_start, &delta))
		trace_sched_stat_sleep(p, delta);
	if (stats_end(rq, p, &p->stats.block_start, &delta)) {
		if (p->in_iowait)
			trace_sched_stat_iowait(p, delta);
		trace_sched_stat_blocked(p, delta);
	}
}

void update_stats_enqueue(struct rq *rq, struct task_struct *p, int flags)
{
	if (flags & ENQUEUE_WAKEUP)
		update_stats_enqueue_sleeper(rq, p);
	if (!task_current(rq, p))
		update_stats_wait_start(rq, p);
}

void update_stats_dequeue(struct rq *rq, struct task_struct *p, int flags)
{
	if (!task_current(rq, p))
		update_stats_wait_end(rq, p);
	if (flags & DEQUEUE_SLEEP)
		update_stats_dequeue_sleeper(rq, p);
}

/* Idle tasks and stoppers have nobody to wait for. */
static inline bool waits(const struct task_struct *p)
{
	return sched_class_above(p->sched_class, &idle_sched_class) &&
	       p->sched_class != &stop_sched_class;
}

void update_stats_switch(struct rq *rq, struct task_struct *prev,
			 struct task_struct *next)
{
	if (waits(prev) && task_on_rq_queued(prev))
		update_stats_wait_start(rq, prev);
	if (waits(next))
		update_stats_wait_end(rq, next);
}
