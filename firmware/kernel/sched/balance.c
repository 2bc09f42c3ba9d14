/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving waiting tasks from CPUs with several to CPUs with none or few. */
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "sched.h"

/* How often a busy CPU looks whether others are busier, in jiffies. */
#define BALANCE_INTERVAL	8

/* Where most tasks run, if that is @least or more; else NULL. */
static struct rq *find_busiest_queue(struct rq *this_rq,
					      unsigned int least)
{
	struct rq *rq, *busiest = NULL;
	int cpu;

	for_each_online_cpu(cpu) {
		rq = cpu_rq(cpu);
		if (rq == this_rq || READ_ONCE(rq->nr_running) < least)
			continue;
		if (!busiest || rq->nr_running > busiest->nr_running)
			busiest = rq;
	}
	return busiest;
}

/* Lower CPU first, so that two balancers cannot wait for each other. */
static void double_rq_lock(struct rq *rq1, struct rq *rq2)
{
	if (rq1->cpu > rq2->cpu)
		swap(rq1, rq2);
	raw_spin_rq_lock(rq1);
	raw_spin_rq_lock(rq2);
}

/* Of those that may run here, the task that would run last there. */
static struct task_struct *detach_one_task(struct rq *src, int dst_cpu,
					   unsigned int least)
{
	struct sched_entity *se;
	struct task_struct *p;

	if (src->nr_running < least)
		return NULL;
	list_for_each_entry_reverse(se, &src->cfs.tasks, run_node) {
		p = task_of(se);
		if (!cpumask_test_cpu(dst_cpu, &p->cpus_mask))
			continue;
		deactivate_task(src, p, 0);
		return p;
	}
	return NULL;
}

static void attach_task(struct rq *rq, struct task_struct *p)
{
	activate_task(rq, p, 0);
	check_preempt_curr(rq, p, 0);
}

/* With this_rq locked, which is let go meanwhile. Returns how many came. */
static int load_balance(struct rq *this_rq, unsigned int least)
{
	struct rq *busiest = find_busiest_queue(this_rq, least);
	struct task_struct *p;

	if (!busiest)
		return 0;
	raw_spin_rq_unlock(this_rq);
	double_rq_lock(this_rq, busiest);
	p = detach_one_task(busiest, this_rq->cpu,
			    max(least, this_rq->nr_running + 2));
	if (p) {
		set_task_cpu(p, this_rq->cpu);
		attach_task(this_rq, p);
	}
	raw_spin_rq_unlock(busiest);
	return p != NULL;
}

/* This CPU would go idle. True if there is something to run after all. */
int newidle_balance(struct rq *this_rq)
{
	load_balance(this_rq, 2);
	return this_rq->cfs.nr_running > 0;
}

void run_rebalance_domains(struct softirq_action *h)
{
	struct rq *rq = this_rq();

	raw_spin_lock_irq(&rq->__lock);
	update_rq_clock(rq);
	load_balance(rq, rq->nr_running + 2);
	raw_spin_unlock_irq(&rq->__lock);
}

static void nohz_csd_func(void *info)
{
	raise_softirq_irqoff(SCHED_SOFTIRQ);
}

/* An idle CPU has no tick to find out by that it could help. */
static void nohz_balancer_kick(struct rq *rq)
{
	int cpu;

	for_each_online_cpu(cpu) {
		if (idle_cpu(cpu)) {
			smp_call_function_single_async(cpu,
					&cpu_rq(cpu)->nohz_csd);
			return;
		}
	}
}

void trigger_load_balance(struct rq *rq)
{
	if (rq->nr_running >= 2)
		nohz_balancer_kick(rq);
	if (time_after_eq(jiffies, rq->next_balance)) {
		rq->next_balance = jiffies + BALANCE_INTERVAL;
		raise_softirq_irqoff(SCHED_SOFTIRQ);
	}
}

void init_balance(struct rq *rq)
{
	rq->nohz_csd.func = nohz_csd_func;
}
