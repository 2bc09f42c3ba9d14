/* SPDX-License-Identifier: GPL-2.0-only */
/* How long tasks wait and sleep: counted while the events of it are on. */
#ifndef _KERNEL_SCHED_STATS_H
#define _KERNEL_SCHED_STATS_H

#include <trace/events/sched.h>
#include "sched.h"

/* With the queue locked and its clock updated. */
void update_stats_enqueue(struct rq *rq, struct task_struct *p, int flags);
void update_stats_dequeue(struct rq *rq, struct task_struct *p, int flags);
void update_stats_switch(struct rq *rq, struct task_struct *prev,
			 struct task_struct *next);

static __always_inline bool schedstat_enabled(void)
{
	return static_branch_unlikely(&sched_schedstats);
}

#endif
