/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The real-time class: the first of the highest priority that has any runs,
 * until it sleeps, yields, or its round robin slice is over.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
#include "sched.h"

static inline bool sched_rt_runnable(struct rq *rq)
{
	return rq->rt.rt_queued;
}

/* MAX_RT_PRIO if there is none. */
int rt_rq_highest(const struct rt_rq *rt_rq)
{
	return find_next_bit(rt_rq->bitmap, MAX_RT_PRIO, 0);
}

/* Also asks for a reschedule once the class has used up its time. */
static void update_curr_rt(struct rq *rq)
{
	struct task_struct *curr = rq->curr;
	u64 now = rq_clock(rq), delta;

	if (curr->sched_class != &rt_sched_class || now <= curr->se.exec_start)
		return;
	delta = now - curr->se.exec_start;
	trace_sched_stat_runtime(curr, delta, 0);
	curr->se.exec_start = now;
	curr->se.sum_exec_runtime += delta;
	rq->rt.rt_time += delta;
	if (sched_rt_runtime_exceeded(&rq->rt))
		resched_curr(rq);
}

static void inc_rt_tasks(struct rt_rq *rt_rq)
{
	rt_rq->rt_nr_running++;
	start_rt_bandwidth();
	if (rt_rq->rt_queued)
		add_nr_running(container_of(rt_rq, struct rq, rt), 1);
	else
		enqueue_top_rt_rq(rt_rq);
}

static void dec_rt_tasks(struct rt_rq *rt_rq)
{
	rt_rq->rt_nr_running--;
	if (!rt_rq->rt_queued)
		return;
	if (rt_rq->rt_nr_running)
		sub_nr_running(container_of(rt_rq, struct rq, rt), 1);
	else
		dequeue_top_rt_rq(rt_rq, 1);
}

static void enqueue_rt_entity(struct rt_rq *rt_rq, struct task_struct *p,
			      int flags)
{
	struct list_head *queue = &rt_rq->queue[p->prio];

	if (flags & ENQUEUE_HEAD)
		list_add(&p->rt.run_list, queue);
	else
		list_add_tail(&p->rt.run_list, queue);
	__set_bit(p->prio, rt_rq->bitmap);
	p->rt.on_rq = true;
	inc_rt_tasks(rt_rq);
}

static void dequeue_rt_entity(struct rt_rq *rt_rq, struct task_struct *p)
{
	list_del_init(&p->rt.run_list);
	if (list_empty(&rt_rq->queue[p->prio]))
		__clear_bit(p->prio, rt_rq->bitmap);
	p->rt.on_rq = false;
	dec_rt_tasks(rt_rq);
}

static void enqueue_task_rt(struct rq *rq, struct task_struct *p, int flags)
{
	enqueue_rt_entity(&rq->rt, p, flags);
	if (!task_current(rq, p) && p->nr_cpus_allowed > 1)
		enqueue_pushable_task(rq, p);
}

static void dequeue_task_rt(struct rq *rq, struct task_struct *p, int flags)
{
	update_curr_rt(rq);
	dequeue_rt_entity(&rq->rt, p);
	dequeue_pushable_task(rq, p);
}

static void requeue_task_rt(struct rq *rq, struct task_struct *p, bool head)
{
	struct list_head *queue = &rq->rt.queue[p->prio];

	if (head)
		list_move(&p->rt.run_list, queue);
	else
		list_move_tail(&p->rt.run_list, queue);
}

static void yield_task_rt(struct rq *rq)
{
	requeue_task_rt(rq, rq->curr, false);
}

/* Where it was, unless it would have to wait for its better or its equal. */
static int select_task_rq_rt(struct task_struct *p, int cpu, int flags)
{
	struct task_struct *curr = READ_ONCE(cpu_rq(cpu)->curr);
	int target;

	if (!(flags & (WF_TTWU | WF_FORK)))
		return cpu;
	if (rt_task(curr) &&
	    (curr->nr_cpus_allowed < 2 || curr->prio <= p->prio)) {
		target = find_lowest_rq(p);
		if (target >= 0 && p->prio < rt_rq_highest(&cpu_rq(target)->rt))
			cpu = target;
	}
	return cpu;
}

/*
 * @p and the running task have the same priority. Preempts the running task
 * only if it can move to another CPU and @p cannot.
 */
static void check_preempt_equal_prio(struct rq *rq, struct task_struct *p)
{
	if (rq->curr->nr_cpus_allowed == 1 || find_lowest_rq(rq->curr) < 0)
		return;
	if (p->nr_cpus_allowed != 1 && find_lowest_rq(p) >= 0)
		return;
	requeue_task_rt(rq, p, true);
	resched_curr(rq);
}

static void check_preempt_curr_rt(struct rq *rq, struct task_struct *p,
				  int flags)
{
	if (p->prio < rq->curr->prio)
		resched_curr(rq);
	else if (p->prio == rq->curr->prio &&
		 !test_bit(TIF_NEED_RESCHED, &rq->curr->thread_info_flags))
		check_preempt_equal_prio(rq, p);
}

static void set_next_task_rt(struct rq *rq, struct task_struct *p, bool first)
{
	p->se.exec_start = rq_clock(rq);
	dequeue_pushable_task(rq, p);
	if (first && rq->rt.overloaded)
		queue_balance_callback(rq, BALANCE_PUSH_RT);
}

static struct task_struct *pick_next_rt_entity(struct rt_rq *rt_rq)
{
	struct list_head *queue = &rt_rq->queue[rt_rq_highest(rt_rq)];

	return list_first_entry(queue, struct task_struct, rt.run_list);
}

static struct task_struct *pick_next_task_rt(struct rq *rq)
{
	struct task_struct *p;

	if (!sched_rt_runnable(rq))
		return NULL;
	p = pick_next_rt_entity(&rq->rt);
	set_next_task_rt(rq, p, true);
	return p;
}

static void put_prev_task_rt(struct rq *rq, struct task_struct *p)
{
	update_curr_rt(rq);
	if (p->rt.on_rq && p->nr_cpus_allowed > 1)
		enqueue_pushable_task(rq, p);
}

/* The queue's priority is about to fall: others may have something better. */
static bool balance_rt(struct rq *rq, struct task_struct *p)
{
	if (!p->rt.on_rq && rt_rq_highest(&rq->rt) > p->prio)
		pull_rt_task(rq);
	return rq->stop && task_on_rq_queued(rq->stop) ? true :
	       rq->dl.dl_nr_running || sched_rt_runnable(rq);
}

/* It has to wait here: perhaps it need not elsewhere. */
static void task_woken_rt(struct rq *rq, struct task_struct *p)
{
	if (!task_current(rq, p) &&
	    !test_bit(TIF_NEED_RESCHED, &rq->curr->thread_info_flags) &&
	    p->nr_cpus_allowed > 1 && rt_task(rq->curr) &&
	    (rq->curr->nr_cpus_allowed < 2 || rq->curr->prio <= p->prio))
		push_rt_tasks(rq);
}

static void task_tick_rt(struct rq *rq, struct task_struct *p)
{
	update_curr_rt(rq);
	if (p->policy != SCHED_RR || --p->rt.time_slice)
		return;
	p->rt.time_slice = RR_TIMESLICE;
	if (p->rt.run_list.prev != p->rt.run_list.next) {
		requeue_task_rt(rq, p, false);
		resched_curr(rq);
	}
}

static void switched_from_rt(struct rq *rq, struct task_struct *p)
{
	if (!task_on_rq_queued(p) || rq->rt.rt_nr_running)
		return;
	queue_balance_callback(rq, BALANCE_PULL_RT);
}

static void switched_to_rt(struct rq *rq, struct task_struct *p)
{
	if (!task_on_rq_queued(p) || task_current(rq, p))
		return;
	if (p->nr_cpus_allowed > 1 && rq->rt.overloaded)
		queue_balance_callback(rq, BALANCE_PUSH_RT);
	if (p->prio < rq->curr->prio)
		resched_curr(rq);
}

static void prio_changed_rt(struct rq *rq, struct task_struct *p, int oldprio)
{
	if (!task_on_rq_queued(p))
		return;
	if (task_current(rq, p)) {
		if (oldprio < p->prio)
			queue_balance_callback(rq, BALANCE_PULL_RT);
		if (p->prio > rt_rq_highest(&rq->rt))
			resched_curr(rq);
	} else if (p->prio < rq->curr->prio) {
		resched_curr(rq);
	}
}

static unsigned int get_rr_interval_rt(struct rq *rq, struct task_struct *p)
{
	return p->policy == SCHED_RR ? RR_TIMESLICE : 0;
}

void init_rt_rq(struct rt_rq *rt_rq)
{
	unsigned int i;

	for (i = 0; i < MAX_RT_PRIO; i++)
		INIT_LIST_HEAD(&rt_rq->queue[i]);
	INIT_LIST_HEAD(&rt_rq->pushable_tasks);
}

DEFINE_SCHED_CLASS(rt) = {
	.enqueue_task = enqueue_task_rt,
	.dequeue_task = dequeue_task_rt,
	.yield_task = yield_task_rt,
	.check_preempt_curr = check_preempt_curr_rt,
	.pick_next_task = pick_next_task_rt,
	.put_prev_task = put_prev_task_rt,
	.set_next_task = set_next_task_rt,
	.balance = balance_rt,
	.select_task_rq = select_task_rq_rt,
	.task_woken = task_woken_rt,
	.set_cpus_allowed = set_cpus_allowed_common,
	.task_tick = task_tick_rt,
	.switched_from = switched_from_rt,
	.switched_to = switched_to_rt,
	.prio_changed = prio_changed_rt,
	.get_rr_interval = get_rr_interval_rt,
	.update_curr = update_curr_rt,
};
