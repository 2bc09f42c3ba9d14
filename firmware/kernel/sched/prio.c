/* SPDX-License-Identifier: GPL-2.0-only */
/* Priorities: from policies and nice values to classes and weights. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include "sched.h"

/* One step of nice is a tenth of the CPU: a factor of 1.25 in weight. */
static const unsigned int sched_prio_to_weight[40] = {
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277,
	1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
	110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
};

/* With the queue of the task locked, unless it is a new one. */
void set_load_weight(struct task_struct *p)
{
	unsigned long weight = WEIGHT_IDLEPRIO;

	if (!idle_policy(p->policy))
		weight = sched_prio_to_weight[p->static_prio - MAX_RT_PRIO];
	reweight_task(p, weight);
}

int __normal_prio(int policy, int rt_prio, int nice)
{
	if (dl_policy(policy))
		return MAX_DL_PRIO - 1;
	if (rt_policy(policy))
		return MAX_RT_PRIO - 1 - rt_prio;
	return NICE_TO_PRIO(nice);
}

const struct sched_class *class_of_prio(int prio)
{
	if (dl_prio(prio))
		return &dl_sched_class;
	if (rt_prio(prio))
		return &rt_sched_class;
	return &fair_sched_class;
}

/* What both classes, or the same one, make of a change. */
void check_class_changed(struct rq *rq, struct task_struct *p,
			 const struct sched_class *prev_class, int oldprio)
{
	if (prev_class != p->sched_class) {
		if (prev_class->switched_from)
			prev_class->switched_from(rq, p);
		if (p->sched_class->switched_to)
			p->sched_class->switched_to(rq, p);
	} else if (oldprio != p->prio || dl_task(p)) {
		if (p->sched_class->prio_changed)
			p->sched_class->prio_changed(rq, p, oldprio);
	}
}

int task_nice(const struct task_struct *p)
{
	return PRIO_TO_NICE(p->static_prio);
}

/* As /proc/PID/stat has it: 0 to 39 for fair tasks, below 0 for others. */
int task_prio(const struct task_struct *p)
{
	return p->prio - MAX_RT_PRIO;
}

/* A real-time task remembers the value for when it is one no more. */
void set_user_nice(struct task_struct *p, long nice)
{
	bool queued, running;
	unsigned long flags;
	struct rq *rq;
	int old_prio;

	if (task_nice(p) == nice || nice < MIN_NICE || nice > MAX_NICE)
		return;
	rq = task_rq_lock(p, &flags);
	update_rq_clock(rq);
	if (rt_task(p)) {
		p->static_prio = NICE_TO_PRIO(nice);
		goto out_unlock;
	}
	queued = task_on_rq_queued(p);
	running = task_current(rq, p);
	if (queued)
		dequeue_task(rq, p, DEQUEUE_SAVE | DEQUEUE_NOCLOCK);
	if (running)
		put_prev_task(rq, p);
	p->static_prio = NICE_TO_PRIO(nice);
	set_load_weight(p);
	old_prio = p->prio;
	p->prio = p->normal_prio = p->static_prio;
	if (queued)
		enqueue_task(rq, p, ENQUEUE_RESTORE | ENQUEUE_NOCLOCK);
	if (running)
		set_next_task(rq, p);
	p->sched_class->prio_changed(rq, p, old_prio);
out_unlock:
	__balance_callbacks(rq);
	task_rq_unlock(rq, p, &flags);
}
