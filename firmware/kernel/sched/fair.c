/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fair class: the runnable task that has had the least runs next, where a
 * task's time counts less the more weight its nice value gives it.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include "sched.h"

/* In nanoseconds: every runnable task runs once in this time, ... */
#define SCHED_LATENCY			6000000ULL
/* ... but is not stopped before it has run this long, ... */
#define SCHED_MIN_GRANULARITY		750000ULL
/* ... nor by one that wakes and is not at least this far behind. */
#define SCHED_WAKEUP_GRANULARITY	1000000ULL

/* One step of nice is a tenth of the CPU: a factor of 1.25 in weight. */
static const unsigned int sched_prio_to_weight[40] = {
	88818, 71054, 56843, 45475, 36380, 29104, 23283, 18626, 14901, 11921,
	9537, 7629, 6104, 4883, 3906, 3125, 2500, 2000, 1600, 1280,
	1024, 819, 655, 524, 419, 336, 268, 215, 172, 137,
	110, 88, 70, 56, 45, 36, 29, 23, 18, 15,
};

unsigned long nice_to_weight(int nice)
{
	return sched_prio_to_weight[nice + 20];
}

static inline struct cfs_rq *cfs_rq_of(struct sched_entity *se)
{
	return &task_rq(task_of(se))->cfs;
}

static inline u64 calc_delta_fair(u64 delta, struct sched_entity *se)
{
	return delta * NICE_0_LOAD / se->weight;
}

static struct sched_entity *__pick_first_entity(struct cfs_rq *cfs_rq)
{
	return list_first_entry_or_null(&cfs_rq->tasks, struct sched_entity,
					run_node);
}

/* min_vruntime follows the least of all, and never goes back. */
static void update_min_vruntime(struct cfs_rq *cfs_rq)
{
	struct sched_entity *first = __pick_first_entity(cfs_rq);
	struct sched_entity *curr = cfs_rq->curr;
	u64 vruntime = cfs_rq->min_vruntime;

	if (curr && curr->on_rq) {
		vruntime = curr->vruntime;
		if (first && (s64)(first->vruntime - vruntime) < 0)
			vruntime = first->vruntime;
	} else if (first) {
		vruntime = first->vruntime;
	}
	if ((s64)(vruntime - cfs_rq->min_vruntime) > 0)
		cfs_rq->min_vruntime = vruntime;
}

/* Charges the running task for the time since this was last done. */
void update_curr(struct cfs_rq *cfs_rq)
{
	struct sched_entity *curr = cfs_rq->curr;
	u64 now, delta;

	if (!curr)
		return;
	now = task_rq(task_of(curr))->clock;
	if (now <= curr->exec_start)
		return;
	delta = now - curr->exec_start;
	curr->exec_start = now;
	curr->sum_exec_runtime += delta;
	curr->vruntime += calc_delta_fair(delta, curr);
	update_min_vruntime(cfs_rq);
}

static void __enqueue_entity(struct cfs_rq *cfs_rq,
				      struct sched_entity *se)
{
	struct sched_entity *other;

	list_for_each_entry(other, &cfs_rq->tasks, run_node)
		if ((s64)(se->vruntime - other->vruntime) < 0)
			break;
	list_add_tail(&se->run_node, &other->run_node);
}

static u64 sched_slice(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	unsigned long load = cfs_rq->load + (se->on_rq ? 0 : se->weight);
	u64 period = SCHED_LATENCY;

	if (cfs_rq->nr_running > SCHED_LATENCY / SCHED_MIN_GRANULARITY)
		period = cfs_rq->nr_running * SCHED_MIN_GRANULARITY;
	return max_t(u64, period * se->weight / load, SCHED_MIN_GRANULARITY);
}

/* A new task waits one slice, a sleeper gets at most half a period back. */
static void place_entity(struct cfs_rq *cfs_rq,
				  struct sched_entity *se, bool initial)
{
	u64 vruntime = cfs_rq->min_vruntime;

	if (initial)
		vruntime += calc_delta_fair(sched_slice(cfs_rq, se), se);
	else
		vruntime -= SCHED_LATENCY / 2;
	if ((s64)(vruntime - se->vruntime) > 0)
		se->vruntime = vruntime;
}

static void enqueue_entity(struct cfs_rq *cfs_rq,
				    struct sched_entity *se, int flags)
{
	update_curr(cfs_rq);
	if (flags & (ENQUEUE_WAKEUP | ENQUEUE_INITIAL))
		place_entity(cfs_rq, se, flags & ENQUEUE_INITIAL);
	cfs_rq->load += se->weight;
	cfs_rq->nr_running++;
	if (se != cfs_rq->curr)
		__enqueue_entity(cfs_rq, se);
	se->on_rq = true;
}

static void dequeue_entity(struct cfs_rq *cfs_rq,
				    struct sched_entity *se)
{
	update_curr(cfs_rq);
	if (se != cfs_rq->curr)
		list_del(&se->run_node);
	se->on_rq = false;
	cfs_rq->load -= se->weight;
	cfs_rq->nr_running--;
	update_min_vruntime(cfs_rq);
}

static void enqueue_task_fair(struct rq *rq, struct task_struct *p, int flags)
{
	enqueue_entity(&rq->cfs, &p->se, flags);
}

static void dequeue_task_fair(struct rq *rq, struct task_struct *p, int flags)
{
	dequeue_entity(&rq->cfs, &p->se);
}

static struct sched_entity *pick_next_entity(struct cfs_rq *cfs_rq)
{
	return __pick_first_entity(cfs_rq);
}

/* The running task is on the queue, but not in its list. */
void set_next_entity(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	list_del(&se->run_node);
	se->exec_start = container_of(cfs_rq, struct rq, cfs)->clock;
	se->prev_sum_exec_runtime = se->sum_exec_runtime;
	cfs_rq->curr = se;
}

static void put_prev_entity(struct cfs_rq *cfs_rq,
				     struct sched_entity *prev)
{
	if (prev->on_rq) {
		update_curr(cfs_rq);
		__enqueue_entity(cfs_rq, prev);
	}
	cfs_rq->curr = NULL;
}

static void put_prev_task_fair(struct rq *rq, struct task_struct *prev)
{
	put_prev_entity(&rq->cfs, &prev->se);
}

/* Before idling, a look at the other CPUs' queues. */
static struct task_struct *pick_next_task_fair(struct rq *rq,
					       struct task_struct *prev)
{
	struct cfs_rq *cfs_rq = &rq->cfs;
	struct sched_entity *se;

	if (!cfs_rq->nr_running && !newidle_balance(rq))
		return NULL;
	prev->sched_class->put_prev_task(rq, prev);
	se = pick_next_entity(cfs_rq);
	set_next_entity(cfs_rq, se);
	return task_of(se);
}

static void check_preempt_tick(struct rq *rq, struct sched_entity *curr)
{
	struct cfs_rq *cfs_rq = &rq->cfs;
	u64 slice = sched_slice(cfs_rq, curr);
	u64 ran = curr->sum_exec_runtime - curr->prev_sum_exec_runtime;
	struct sched_entity *first;

	if (ran > slice) {
		resched_curr(rq);
		return;
	}
	if (ran < SCHED_MIN_GRANULARITY)
		return;
	first = __pick_first_entity(cfs_rq);
	if ((s64)(curr->vruntime - first->vruntime) > (s64)slice)
		resched_curr(rq);
}

static void entity_tick(struct rq *rq, struct sched_entity *curr)
{
	update_curr(&rq->cfs);
	if (rq->cfs.nr_running > 1)
		check_preempt_tick(rq, curr);
}

static void task_tick_fair(struct rq *rq, struct task_struct *curr)
{
	entity_tick(rq, &curr->se);
}

static bool wakeup_preempt_entity(struct sched_entity *curr,
					   struct sched_entity *se)
{
	s64 behind = curr->vruntime - se->vruntime;

	return behind > (s64)calc_delta_fair(SCHED_WAKEUP_GRANULARITY, se);
}

static void check_preempt_wakeup(struct rq *rq, struct task_struct *p,
				 int flags)
{
	struct sched_entity *curr = &rq->curr->se;

	if (curr == &p->se || test_bit(TIF_NEED_RESCHED,
				       &rq->curr->thread_info_flags))
		return;
	update_curr(&rq->cfs);
	if (wakeup_preempt_entity(curr, &p->se))
		resched_curr(rq);
}

/* A child starts with its parent's history, so that forking gains nothing. */
static void task_fork_fair(struct task_struct *p)
{
	struct rq *rq = this_rq();
	unsigned long flags;

	raw_spin_lock_irqsave(&rq->__lock, flags);
	update_rq_clock(rq);
	update_curr(&rq->cfs);
	p->se.vruntime = current->se.vruntime;
	raw_spin_unlock_irqrestore(&rq->__lock, flags);
}

/* Everyone else on the queue goes first. */
static void yield_task_fair(struct rq *rq)
{
	struct cfs_rq *cfs_rq = &rq->cfs;
	struct sched_entity *last;

	update_rq_clock(rq);
	update_curr(cfs_rq);
	if (list_empty(&cfs_rq->tasks))
		return;
	last = list_last_entry(&cfs_rq->tasks, struct sched_entity, run_node);
	if ((s64)(last->vruntime - cfs_rq->curr->vruntime) > 0)
		cfs_rq->curr->vruntime = last->vruntime;
}

static int find_idlest_cpu(int this_cpu)
{
	unsigned int best_running = cpu_rq(this_cpu)->nr_running;
	int cpu, best = this_cpu;

	for_each_online_cpu(cpu) {
		if (READ_ONCE(cpu_rq(cpu)->nr_running) < best_running) {
			best_running = cpu_rq(cpu)->nr_running;
			best = cpu;
		}
	}
	return best;
}

/* @target if it is idle, or another idle CPU, or @target after all. */
static int select_idle_sibling(int target)
{
	int cpu;

	if (idle_cpu(target))
		return target;
	for_each_online_cpu(cpu)
		if (idle_cpu(cpu))
			return cpu;
	return target;
}

static int select_task_rq_fair(struct task_struct *p, int prev_cpu, int flags)
{
	int this_cpu = smp_processor_id();

	if (flags & WF_FORK)
		return find_idlest_cpu(this_cpu);
	if (flags & WF_SYNC && !idle_cpu(prev_cpu) &&
	    this_rq()->nr_running == 1)
		return this_cpu;
	return select_idle_sibling(prev_cpu);
}

void init_cfs_rq(struct cfs_rq *cfs_rq)
{
	INIT_LIST_HEAD(&cfs_rq->tasks);
}

const struct sched_class fair_sched_class = {
	.enqueue_task = enqueue_task_fair,
	.dequeue_task = dequeue_task_fair,
	.check_preempt_curr = check_preempt_wakeup,
	.pick_next_task = pick_next_task_fair,
	.put_prev_task = put_prev_task_fair,
	.select_task_rq = select_task_rq_fair,
	.task_tick = task_tick_fair,
	.task_fork = task_fork_fair,
	.yield_task = yield_task_fair,
};
