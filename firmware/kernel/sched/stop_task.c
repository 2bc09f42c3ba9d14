/* SPDX-License-Identifier: GPL-2.0-only */
/* The stop class: one thread per CPU that preempts everything. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include "sched.h"

static int select_task_rq_stop(struct task_struct *p, int cpu, int flags)
{
	return task_cpu(p);
}

static bool balance_stop(struct rq *rq, struct task_struct *prev)
{
	return rq->stop && task_on_rq_queued(rq->stop);
}

static void check_preempt_curr_stop(struct rq *rq, struct task_struct *p,
				    int flags)
{
}

static void set_next_task_stop(struct rq *rq, struct task_struct *stop,
			       bool first)
{
	stop->se.exec_start = rq_clock(rq);
}

static struct task_struct *pick_next_task_stop(struct rq *rq)
{
	if (!balance_stop(rq, NULL))
		return NULL;
	set_next_task_stop(rq, rq->stop, true);
	return rq->stop;
}

static void enqueue_task_stop(struct rq *rq, struct task_struct *p, int flags)
{
	add_nr_running(rq, 1);
}

static void dequeue_task_stop(struct rq *rq, struct task_struct *p, int flags)
{
	sub_nr_running(rq, 1);
}

static void update_curr_stop(struct rq *rq)
{
	struct sched_entity *se = &rq->curr->se;
	u64 now = rq_clock(rq);

	if (now > se->exec_start) {
		se->sum_exec_runtime += now - se->exec_start;
		se->exec_start = now;
	}
}

static void put_prev_task_stop(struct rq *rq, struct task_struct *prev)
{
	update_curr_stop(rq);
}

static void task_tick_stop(struct rq *rq, struct task_struct *curr)
{
}

/* Makes it the CPU's; to everyone it looks like a FIFO task at the top. */
void sched_set_stop_task(int cpu, struct task_struct *stop)
{
	sched_set_fifo(stop);
	stop->rt_priority = MAX_RT_PRIO - 1;
	stop->prio = 0;
	stop->normal_prio = 0;
	stop->sched_class = &stop_sched_class;
	cpu_rq(cpu)->stop = stop;
}

DEFINE_SCHED_CLASS(stop) = {
	.enqueue_task = enqueue_task_stop,
	.dequeue_task = dequeue_task_stop,
	.check_preempt_curr = check_preempt_curr_stop,
	.pick_next_task = pick_next_task_stop,
	.put_prev_task = put_prev_task_stop,
	.set_next_task = set_next_task_stop,
	.balance = balance_stop,
	.select_task_rq = select_task_rq_stop,
	.set_cpus_allowed = set_cpus_allowed_common,
	.task_tick = task_tick_stop,
	.update_curr = update_curr_stop,
};
