/* SPDX-License-Identifier: GPL-2.0-only */
/* How long tasks wait and sleep: counted while the events of it are on. */
#ifndef _KERNEL_SCHED_STATS_H
#define _KERNEL_SCHED_STATS_H

#include <trace/events/sched.h>
#include "sched.h"

/* With the queue locked and its clock updated. */
void update_stats_wait_start(struct rq *rq, struct task_struct *p);
void update_stats_wait_end(struct rq *rq, struct task_struct *p);
void update_stats_dequeue_sleeper(struct rq *rq, struct task_struct *p);
void update_stats_enqueue_sleeper(struct rq *rq, struct task_struct *p);
void update_stats_switch(struct rq *rq, struct task_struct *prev,
			 struct task_struct *next);

static inline bool sched_stat_sleep_enabled(void)
{
	return trace_sched_stat_sleep_enabled() ||
	       trace_sched_stat_blocked_enabled() ||
	       trace_sched_stat_iowait_enabled();
}

#endif
