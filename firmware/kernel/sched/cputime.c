/* SPDX-License-Identifier: GPL-2.0-only */
/* Who used how much time. */
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include "sched.h"

DEFINE_PER_CPU(struct kernel_cpustat, kernel_cpustat);

static void account_user_time(struct task_struct *p)
{
	p->utime++;
	if (p->static_prio > DEFAULT_PRIO)
		kcpustat_this_cpu->nice++;
	else
		kcpustat_this_cpu->user++;
}

static void account_system_index_time(struct task_struct *p, u64 *index)
{
	p->stime++;
	++*index;
}

/* The tick's own interrupt does not count as what it has interrupted. */
void account_system_time(struct task_struct *p, int hardirq_offset)
{
	struct kernel_cpustat *stat = kcpustat_this_cpu;
	u64 *index = &stat->system;

	if (hardirq_count() != hardirq_offset)
		index = &stat->irq;
	else if (in_serving_softirq())
		index = &stat->softirq;
	account_system_index_time(p, index);
}

unsigned long nr_context_switches(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(cpu_rq(cpu)->nr_switches);
	return sum;
}

/* The idle task's own time is counted by the clock: its ticks do not come. */
void account_process_tick(struct task_struct *p, int user_tick)
{
	if (user_tick)
		account_user_time(p);
	else if (!is_idle_task(p) || irq_count() != HARDIRQ_OFFSET)
		account_system_time(p, HARDIRQ_OFFSET);
}

/* In nanoseconds, up to now. */
u64 task_sched_runtime(struct task_struct *p)
{
	unsigned long flags;
	struct rq *rq = task_rq_lock(p, &flags);
	u64 runtime;

	if (task_current(rq, p) && task_on_rq_queued(p)) {
		update_rq_clock(rq);
		p->sched_class->update_curr(rq);
	}
	runtime = p->se.sum_exec_runtime;
	task_rq_unlock(rq, p, &flags);
	return runtime;
}
