/* SPDX-License-Identifier: GPL-2.0-only */
/* What a new task's scheduling starts with. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "sched.h"

static void __sched_fork(unsigned long clone_flags, struct task_struct *p)
{
	p->on_rq = 0;
	p->on_cpu = 0;
	p->nvcsw = 0;
	p->nivcsw = 0;
	memset(&p->off_cpu, 0, sizeof(p->off_cpu));
	memset(&p->se, 0, sizeof(p->se));
	memset(&p->rt, 0, sizeof(p->rt));
	memset(&p->dl, 0, sizeof(p->dl));
	memset(&p->stats, 0, sizeof(p->stats));
	p->in_iowait = false;
	INIT_LIST_HEAD(&p->rt.run_list);
	INIT_LIST_HEAD(&p->rt.pushable);
	p->rt.time_slice = RR_TIMESLICE;
	init_dl_task_timer(&p->dl);
}

/* Who asked for it has ordinary children only. */
static void reset_on_fork(struct task_struct *p)
{
	if (dl_policy(p->policy) || rt_policy(p->policy)) {
		p->policy = SCHED_NORMAL;
		p->static_prio = DEFAULT_PRIO;
		p->rt_priority = 0;
	} else if (task_nice(p) < 0) {
		p->static_prio = DEFAULT_PRIO;
	}
	p->prio = p->normal_prio = p->static_prio;
	p->sched_reset_on_fork = false;
}

/* In a state in which nobody wakes it: wake_up_new_task() starts it. */
int sched_fork(unsigned long clone_flags, struct task_struct *p)
{
	__sched_fork(clone_flags, p);
	WRITE_ONCE(p->__state, TASK_NEW);
	/* The idle task's is all there is when the first of all are made. */
	if (p->nr_cpus_allowed == 1 && is_idle_task(current))
		set_cpus_allowed_common(p, cpu_possible_mask);
	p->prio = current->normal_prio;
	if (unlikely(p->sched_reset_on_fork))
		reset_on_fork(p);
	if (dl_prio(p->prio))
		return -EAGAIN;
	p->sched_class = class_of_prio(p->prio);
	p->cpu = smp_processor_id();
	set_load_weight(p);
	if (p->sched_class->task_fork)
		p->sched_class->task_fork(p);
	return 0;
}
