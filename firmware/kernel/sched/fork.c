/* SPDX-License-Identifier: GPL-2.0-only */
/* What a new task's scheduling starts with. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "sched.h"

static void __sched_fork(struct task_struct *p)
{
	p->on_rq = 0;
	p->on_cpu = 0;
	memset(&p->se, 0, sizeof(p->se));
	memset(&p->off_cpu, 0, sizeof(p->off_cpu));
	p->cpus_mask = *cpu_possible_mask;
	p->se.weight = nice_to_weight(p->static_prio - DEFAULT_PRIO);
}

/* In a state in which nobody wakes it: wake_up_new_task() starts it. */
void sched_fork(struct task_struct *p)
{
	__sched_fork(p);
	WRITE_ONCE(p->__state, TASK_NEW);
	p->sched_class = &fair_sched_class;
	fair_sched_class.task_fork(p);
	p->cpu = smp_processor_id();
}
