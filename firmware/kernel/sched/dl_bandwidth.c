/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may be a deadline task: together they are promised at most a part of the
 * CPUs, 95 % if nobody has said otherwise, or promises could not be kept.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include "sched.h"

/* The least runtime, and limits of the period. */
#define DL_RUNTIME_MIN	1024ULL
#define DL_PERIOD_MIN	100000ULL
#define DL_PERIOD_MAX	((1ULL << 22) * 1000)

static DEFINE_RAW_SPINLOCK(dl_bw_lock);
static u64 total_bw;
static u64 dl_bw = BW_UNIT * 95 / 100;	/* of each CPU; RUNTIME_INF */

static inline u64 to_ratio(u64 period, u64 runtime)
{
	return period ? (runtime << BW_SHIFT) / period : 0;
}

void __setparam_dl(struct task_struct *p, const struct sched_attr *attr)
{
	struct sched_dl_entity *dl_se = &p->dl;

	dl_se->dl_runtime = attr->sched_runtime;
	dl_se->dl_deadline = attr->sched_deadline;
	dl_se->dl_period = attr->sched_period ? attr->sched_period :
						attr->sched_deadline;
	dl_se->flags = attr->sched_flags & SCHED_DL_FLAGS;
	dl_se->dl_bw = to_ratio(dl_se->dl_period, dl_se->dl_runtime);
	dl_se->dl_density = to_ratio(dl_se->dl_deadline, dl_se->dl_runtime);
	dl_se->deadline = 0;
	dl_se->runtime = 0;
}

void __getparam_dl(struct task_struct *p, struct sched_attr *attr)
{
	struct sched_dl_entity *dl_se = &p->dl;

	attr->sched_priority = p->rt_priority;
	attr->sched_runtime = dl_se->dl_runtime;
	attr->sched_deadline = dl_se->dl_deadline;
	attr->sched_period = dl_se->dl_period;
	attr->sched_flags &= ~SCHED_DL_FLAGS;
	attr->sched_flags |= dl_se->flags;
}

bool __checkparam_dl(const struct sched_attr *attr)
{
	u64 period = attr->sched_period ? attr->sched_period :
					  attr->sched_deadline;

	if (!attr->sched_deadline || attr->sched_runtime < DL_RUNTIME_MIN)
		return false;
	if (attr->sched_deadline >> 63 || attr->sched_period >> 63)
		return false;
	if (period < attr->sched_deadline ||
	    attr->sched_deadline < attr->sched_runtime)
		return false;
	return period >= DL_PERIOD_MIN && period <= DL_PERIOD_MAX;
}

bool dl_param_changed(struct task_struct *p, const struct sched_attr *attr)
{
	struct sched_dl_entity *dl_se = &p->dl;

	return dl_se->dl_runtime != attr->sched_runtime ||
	       dl_se->dl_deadline != attr->sched_deadline ||
	       dl_se->dl_period != attr->sched_period ||
	       dl_se->flags != (attr->sched_flags & SCHED_DL_FLAGS);
}

/* Is @total more than @bw of each CPU? */
static bool __dl_overflow(u64 bw, u64 total)
{
	return bw != RUNTIME_INF && total > bw * num_online_cpus();
}

/* From now on @runtime of each @period; -EBUSY if more has been promised. */
int sched_dl_global_change(u64 period, u64 runtime)
{
	u64 bw = runtime == RUNTIME_INF ? RUNTIME_INF :
					  to_ratio(period, runtime);
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&dl_bw_lock, flags);
	if (__dl_overflow(bw, total_bw))
		err = -EBUSY;
	else
		dl_bw = bw;
	raw_spin_unlock_irqrestore(&dl_bw_lock, flags);
	return err;
}

/* With the task's queue locked. Takes the bandwidth, or -EBUSY. */
int sched_dl_overflow(struct task_struct *p, int policy,
		      const struct sched_attr *attr)
{
	u64 period = attr->sched_period ? attr->sched_period :
					  attr->sched_deadline;
	u64 new_bw = dl_policy(policy) ?
		     to_ratio(period, attr->sched_runtime) : 0;
	u64 old_bw = dl_policy(p->policy) ? p->dl.dl_bw : 0;
	int err = 0;

	raw_spin_lock(&dl_bw_lock);
	if (new_bw > old_bw && __dl_overflow(dl_bw, total_bw - old_bw + new_bw))
		err = -EBUSY;
	else
		total_bw += new_bw - old_bw;
	raw_spin_unlock(&dl_bw_lock);
	return err;
}

void dl_release_bw(struct task_struct *p)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&dl_bw_lock, flags);
	total_bw -= p->dl.dl_bw;
	raw_spin_unlock_irqrestore(&dl_bw_lock, flags);
}
