/* SPDX-License-Identifier: GPL-2.0-only */
/* Deadline tasks on several CPUs: the earliest deadlines of all run. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include "sched.h"

/* CPUs with deadline tasks that another might take. */
static atomic_t dlo_count;

#define node_to_task(node) \
	rb_entry(node, struct task_struct, dl.pushable)

static void update_overload(struct rq *rq)
{
	bool overloaded = rb_first_cached(&rq->dl.pushable) &&
			  rq->dl.dl_nr_running > 1;

	if (overloaded == rq->dl.overloaded)
		return;
	rq->dl.overloaded = overloaded;
	atomic_add(overloaded ? 1 : -1, &dlo_count);
}

static inline bool __pushable_less(struct rb_node *a, const struct rb_node *b)
{
	return dl_entity_preempt(&node_to_task(a)->dl, &node_to_task(b)->dl);
}

void dequeue_pushable_dl_task(struct rq *rq, struct task_struct *p)
{
	if (p->dl.is_pushable)
		rb_erase_cached(&p->dl.pushable, &rq->dl.pushable);
	p->dl.is_pushable = false;
	update_overload(rq);
}

void enqueue_pushable_dl_task(struct rq *rq, struct task_struct *p)
{
	dequeue_pushable_dl_task(rq, p);
	rb_add_cached(&p->dl.pushable, &rq->dl.pushable, __pushable_less);
	p->dl.is_pushable = true;
	update_overload(rq);
}

/* Where it would run at once, -1 if nowhere: idle CPUs before busy ones. */
int find_later_rq(struct task_struct *task)
{
	struct task_struct *first, *latest = NULL;
	int cpu, best = -1, busy = -1;

	for_each_cpu(cpu, &task->cpus_mask) {
		if (!cpu_online(cpu) || cpu_curr(cpu) == cpu_rq(cpu)->stop)
			continue;
		first = dl_earliest(&cpu_rq(cpu)->dl);
		if (!first) {
			if (idle_cpu(cpu))
				return cpu;
			if (busy < 0 || cpu == task_cpu(task))
				busy = cpu;
		} else if (dl_entity_preempt(&task->dl, &first->dl) &&
			   (!latest ||
			    dl_entity_preempt(&latest->dl, &first->dl))) {
			latest = first;
			best = cpu;
		}
	}
	return busy >= 0 ? busy : best;
}

/* Whether it would run at once on a queue that is locked. */
static bool is_earlier(struct task_struct *p, const struct dl_rq *dl_rq)
{
	struct task_struct *first = dl_earliest(dl_rq);

	return !first || dl_entity_preempt(&p->dl, &first->dl);
}

/*
 * Called with @rq locked. The result is locked too; NULL: only @rq is, which
 * may have been let go meanwhile.
 */
static struct rq *find_lock_later_rq(struct task_struct *task, struct rq *rq)
{
	struct rq *later_rq;
	int cpu = find_later_rq(task);

	if (cpu < 0 || cpu == cpu_of(rq))
		return NULL;
	later_rq = cpu_rq(cpu);
	if (double_lock_balance(rq, later_rq) &&
	    (task_rq(task) != rq || !is_cpu_allowed(task, cpu) ||
	     READ_ONCE(task->on_cpu) || !dl_task(task) ||
	     !task_on_rq_queued(task) || !task->dl.on_rq)) {
		double_unlock_balance(rq, later_rq);
		return NULL;
	}
	if (is_earlier(task, &later_rq->dl))
		return later_rq;
	double_unlock_balance(rq, later_rq);
	return NULL;
}

/* Called with the queue locked, which may be let go and taken again. */
static bool push_dl_task(struct rq *rq)
{
	struct rb_node *left = rb_first_cached(&rq->dl.pushable);
	struct task_struct *next_task;
	struct rq *later_rq;

	if (!rq->dl.overloaded || !left)
		return false;
	next_task = node_to_task(left);
	/* It is this CPU that is going to run it. */
	if (!dl_task(rq->curr) ||
	    dl_entity_preempt(&next_task->dl, &rq->curr->dl)) {
		resched_curr(rq);
		return false;
	}
	get_task_struct(next_task);
	later_rq = find_lock_later_rq(next_task, rq);
	if (later_rq) {
		move_queued_task_locked(rq, later_rq, next_task);
		resched_curr(later_rq);
		double_unlock_balance(rq, later_rq);
	}
	put_task_struct(next_task);
	return later_rq;
}

void push_dl_tasks(struct rq *rq)
{
	while (push_dl_task(rq))
		;
}

static struct task_struct *pick_earliest_pushable_dl_task(struct rq *rq,
							  int cpu)
{
	struct rb_node *node = rb_first_cached(&rq->dl.pushable);

	for (; node; node = rb_next(node)) {
		struct task_struct *p = node_to_task(node);

		if (!READ_ONCE(p->on_cpu) && is_cpu_allowed(p, cpu))
			return p;
	}
	return NULL;
}

/*
 * Called with this_rq locked and interrupts off; its lock may be let go and
 * taken again.
 */
void pull_dl_task(struct rq *this_rq)
{
	int cpu, this_cpu = this_rq->cpu;
	bool resched = false;
	struct task_struct *p;
	struct rq *src_rq;

	if (likely(!atomic_read(&dlo_count)))
		return;
	for_each_online_cpu(cpu) {
		src_rq = cpu_rq(cpu);
		if (cpu == this_cpu || !READ_ONCE(src_rq->dl.overloaded))
			continue;
		double_lock_balance(this_rq, src_rq);
		p = pick_earliest_pushable_dl_task(src_rq, this_cpu);
		/* One before what runs there will run there at once. */
		if (p && is_earlier(p, &this_rq->dl) &&
		    dl_task(src_rq->curr) &&
		    !dl_entity_preempt(&p->dl, &src_rq->curr->dl)) {
			move_queued_task_locked(src_rq, this_rq, p);
			resched = true;
		}
		double_unlock_balance(this_rq, src_rq);
	}
	if (resched)
		resched_curr(this_rq);
}
