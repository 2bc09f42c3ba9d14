/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real-time tasks on several CPUs: the highest of all run. A task that has to
 * wait is pushed to a CPU with less to do; a CPU with less to do pulls.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include "sched.h"

#define RT_MAX_TRIES	3

/* CPUs with real-time tasks that another might take. */
static atomic_t rto_count;

static void update_overload(struct rq *rq)
{
	bool overloaded = !list_empty(&rq->rt.pushable_tasks) &&
			  rq->rt.rt_nr_running > 1;

	if (overloaded == rq->rt.overloaded)
		return;
	rq->rt.overloaded = overloaded;
	atomic_add(overloaded ? 1 : -1, &rto_count);
}

/* In order of priority, and of arrival. */
void enqueue_pushable_task(struct rq *rq, struct task_struct *p)
{
	struct task_struct *other;

	list_del_init(&p->rt.pushable);
	list_for_each_entry(other, &rq->rt.pushable_tasks, rt.pushable)
		if (p->prio < other->prio)
			break;
	list_add_tail(&p->rt.pushable, &other->rt.pushable);
	update_overload(rq);
}

void dequeue_pushable_task(struct rq *rq, struct task_struct *p)
{
	list_del_init(&p->rt.pushable);
	update_overload(rq);
}

/* How much is to be disturbed there: nothing if the CPU idles. */
static int cpu_urgency(int cpu)
{
	struct rq *rq = cpu_rq(cpu);
	struct task_struct *curr = READ_ONCE(rq->curr);
	int highest = rt_rq_highest(&rq->rt);

	if (rq->dl.dl_nr_running || dl_task(curr) || curr == rq->stop)
		return MAX_RT_PRIO + 1;
	if (highest < MAX_RT_PRIO)
		return MAX_RT_PRIO - highest;
	return idle_cpu(cpu) ? -1 : 0;
}

/* Where it would run at once, -1 if nowhere. Its own CPU first, then ours. */
int find_lowest_rq(struct task_struct *task)
{
	int least = MAX_RT_PRIO - task->prio, this_cpu = smp_processor_id();
	int cpu, best = -1, urgency;

	if (task->nr_cpus_allowed == 1)
		return -1;
	for_each_cpu(cpu, &task->cpus_mask) {
		if (!cpu_online(cpu))
			continue;
		urgency = cpu_urgency(cpu);
		if (urgency > least || (urgency == least && best < 0))
			continue;
		if (urgency == least && cpu != task_cpu(task) &&
		    (cpu != this_cpu || best == task_cpu(task)))
			continue;
		least = urgency;
		best = cpu;
	}
	return best;
}

/*
 * Called with @rq locked. The result is locked too; NULL: only @rq is, which
 * may have been let go meanwhile.
 */
static struct rq *find_lock_lowest_rq(struct task_struct *task, struct rq *rq)
{
	struct rq *lowest_rq;
	int tries, cpu;

	for (tries = 0; tries < RT_MAX_TRIES; tries++) {
		cpu = find_lowest_rq(task);
		if (cpu < 0 || cpu == cpu_of(rq))
			return NULL;
		lowest_rq = cpu_rq(cpu);
		if (rt_rq_highest(&lowest_rq->rt) <= task->prio)
			return NULL;
		if (double_lock_balance(rq, lowest_rq) &&
		    (task_rq(task) != rq || !is_cpu_allowed(task, cpu) ||
		     READ_ONCE(task->on_cpu) || !rt_task(task) ||
		     !task_on_rq_queued(task))) {
			double_unlock_balance(rq, lowest_rq);
			return NULL;
		}
		if (rt_rq_highest(&lowest_rq->rt) > task->prio)
			return lowest_rq;
		double_unlock_balance(rq, lowest_rq);
	}
	return NULL;
}

static struct task_struct *pick_next_pushable_task(struct rq *rq)
{
	return list_first_entry_or_null(&rq->rt.pushable_tasks,
					struct task_struct, rt.pushable);
}

/*
 * The first of those that wait. Returns whether it was worth trying. Called
 * with the queue locked, which may be let go and taken again.
 */
static bool push_rt_task(struct rq *rq)
{
	struct task_struct *next_task;
	struct rq *lowest_rq;
	bool ret = false;

	if (!rq->rt.overloaded)
		return false;
	next_task = pick_next_pushable_task(rq);
	if (!next_task || task_current(rq, next_task))
		return false;
	/* It is this CPU that is going to run it. */
	if (next_task->prio < rq->curr->prio) {
		resched_curr(rq);
		return false;
	}
	get_task_struct(next_task);
	lowest_rq = find_lock_lowest_rq(next_task, rq);
	if (lowest_rq) {
		move_queued_task_locked(rq, lowest_rq, next_task);
		resched_curr(lowest_rq);
		double_unlock_balance(rq, lowest_rq);
		ret = true;
	}
	put_task_struct(next_task);
	return ret;
}

void push_rt_tasks(struct rq *rq)
{
	while (push_rt_task(rq))
		;
}

static struct task_struct *pick_highest_pushable_task(struct rq *rq, int cpu)
{
	struct task_struct *p;

	list_for_each_entry(p, &rq->rt.pushable_tasks, rt.pushable)
		if (!READ_ONCE(p->on_cpu) && is_cpu_allowed(p, cpu))
			return p;
	return NULL;
}

/*
 * Called with this_rq locked and interrupts off; its lock may be let go and
 * taken again.
 */
void pull_rt_task(struct rq *this_rq)
{
	int cpu, this_cpu = this_rq->cpu;
	bool resched = false;
	struct task_struct *p;
	struct rq *src_rq;

	if (likely(!atomic_read(&rto_count)))
		return;
	for_each_online_cpu(cpu) {
		src_rq = cpu_rq(cpu);
		if (cpu == this_cpu || !READ_ONCE(src_rq->rt.overloaded))
			continue;
		double_lock_balance(this_rq, src_rq);
		p = pick_highest_pushable_task(src_rq, this_cpu);
		/* One above what runs there will run there at once. */
		if (p && p->prio < rt_rq_highest(&this_rq->rt) &&
		    p->prio >= src_rq->curr->prio) {
			move_queued_task_locked(src_rq, this_rq, p);
			resched = true;
		}
		double_unlock_balance(this_rq, src_rq);
	}
	if (resched)
		resched_curr(this_rq);
}
