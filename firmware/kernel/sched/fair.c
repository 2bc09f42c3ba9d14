/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fair class: the runnable task that has had the least runs next, where a
 * task's time counts less the more weight its nice value gives it.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
#include "sched.h"

/* In nanoseconds: every runnable task runs once in this time, ... */
#define SCHED_LATENCY			6000000ULL
/* ... but is not stopped before it has run this long, ... */
#define SCHED_MIN_GRANULARITY		750000ULL
/* ... nor by one that wakes and is not at least this far behind. */
#define SCHED_WAKEUP_GRANULARITY	1000000ULL

static inline struct rq *rq_of(struct cfs_rq *cfs_rq)
{
	return container_of(cfs_rq, struct rq, cfs);
}

static inline u64 calc_delta_fair(u64 delta, struct sched_entity *se)
{
	return se->weight == NICE_0_LOAD ? delta :
					   delta * NICE_0_LOAD / se->weight;
}

static inline bool entity_before(const struct sched_entity *a,
				 const struct sched_entity *b)
{
	return (s64)(a->vruntime - b->vruntime) < 0;
}

static inline struct sched_entity *
__pick_first_entity(struct cfs_rq *cfs_rq)
{
	struct rb_node *left = rb_first_cached(&cfs_rq->tasks_timeline);

	return left ? rb_entry(left, struct sched_entity, run_node) : NULL;
}

/* min_vruntime follows the least of all, and never goes back. */
static void update_min_vruntime(struct cfs_rq *cfs_rq)
{
	struct sched_entity *first = __pick_first_entity(cfs_rq);
	struct sched_entity *curr = cfs_rq->curr;
	u64 vruntime = cfs_rq->min_vruntime;

	if (curr && curr->on_rq) {
		vruntime = curr->vruntime;
		if (first && entity_before(first, curr))
			vruntime = first->vruntime;
	} else if (first) {
		vruntime = first->vruntime;
	}
	if ((s64)(vruntime - cfs_rq->min_vruntime) > 0)
		WRITE_ONCE(cfs_rq->min_vruntime, vruntime);
}

/* All of it, so that the usual way has nothing to keep for later. */
static notrace void update_traced_vruntime(struct cfs_rq *cfs_rq,
					   struct sched_entity *curr, u64 delta)
{
	update_min_vruntime(cfs_rq);
	trace_sched_stat_runtime(task_of(curr), delta, curr->vruntime);
}

/* Charges the running task for the time since this was last done. */
static void update_curr(struct cfs_rq *cfs_rq)
{
	struct sched_entity *curr = cfs_rq->curr;
	u64 now = rq_clock(rq_of(cfs_rq)), delta;

	if (!curr || now <= curr->exec_start)
		return;
	delta = now - curr->exec_start;
	curr->exec_start = now;
	curr->sum_exec_runtime += delta;
	curr->vruntime += calc_delta_fair(delta, curr);
	if (trace_sched_stat_runtime_enabled())
		update_traced_vruntime(cfs_rq, curr, delta);
	else
		update_min_vruntime(cfs_rq);
}

static void update_curr_fair(struct rq *rq)
{
	update_curr(&rq->cfs);
}

static inline bool __entity_less(struct rb_node *a, const struct rb_node *b)
{
	return entity_before(rb_entry(a, struct sched_entity, run_node),
			     rb_entry(b, struct sched_entity, run_node));
}

static inline void __enqueue_entity(struct cfs_rq *cfs_rq,
				    struct sched_entity *se)
{
	rb_add_cached(&se->run_node, &cfs_rq->tasks_timeline, __entity_less);
}

static inline void __dequeue_entity(struct cfs_rq *cfs_rq,
				    struct sched_entity *se)
{
	rb_erase_cached(&se->run_node, &cfs_rq->tasks_timeline);
}

static __noclone u64 sched_slice(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	unsigned int nr_running = cfs_rq->nr_running + !se->on_rq;
	unsigned long load = cfs_rq->load + (se->on_rq ? 0 : se->weight);
	u64 period = SCHED_LATENCY;

	if (nr_running > SCHED_LATENCY / SCHED_MIN_GRANULARITY)
		period = nr_running * SCHED_MIN_GRANULARITY;
	return max_t(u64, period * se->weight / load, SCHED_MIN_GRANULARITY);
}

/* A new task waits one slice, a sleeper gets at most half a period back. */
static void place_entity(struct cfs_rq *cfs_rq, struct sched_entity *se,
			 bool initial)
{
	u64 vruntime = cfs_rq->min_vruntime;

	if (initial)
		vruntime += calc_delta_fair(sched_slice(cfs_rq, se), se);
	else
		vruntime -= SCHED_LATENCY / 2;
	if ((s64)(vruntime - se->vruntime) > 0)
		se->vruntime = vruntime;
}

/*
 * A task that comes from another queue, or from a fork, has its vruntime
 * relative to that queue's: here it becomes relative to ours.
 */
static inline void enqueue_entity(struct cfs_rq *cfs_rq,
				  struct sched_entity *se, int flags)
{
	bool renorm = !(flags & ENQUEUE_WAKEUP) || flags & ENQUEUE_MIGRATED;

	if (renorm && se == cfs_rq->curr)
		se->vruntime += cfs_rq->min_vruntime;
	update_curr(cfs_rq);
	if (renorm && se != cfs_rq->curr)
		se->vruntime += cfs_rq->min_vruntime;
	cfs_rq->load += se->weight;
	cfs_rq->nr_running++;
	if (flags & ENQUEUE_WAKEUP)
		place_entity(cfs_rq, se, false);
	if (se != cfs_rq->curr)
		__enqueue_entity(cfs_rq, se);
	se->on_rq = true;
}

static inline void dequeue_entity(struct cfs_rq *cfs_rq,
				  struct sched_entity *se, int flags)
{
	update_curr(cfs_rq);
	if (se != cfs_rq->curr)
		__dequeue_entity(cfs_rq, se);
	se->on_rq = false;
	cfs_rq->load -= se->weight;
	cfs_rq->nr_running--;
	if (!(flags & DEQUEUE_SLEEP))
		se->vruntime -= cfs_rq->min_vruntime;
	if ((flags & (DEQUEUE_SAVE | DEQUEUE_SLEEP)) != DEQUEUE_SAVE)
		update_min_vruntime(cfs_rq);
}

static void enqueue_task_fair(struct rq *rq, struct task_struct *p, int flags)
{
	enqueue_entity(&rq->cfs, &p->se, flags);
	add_nr_running(rq, 1);
}

static void dequeue_task_fair(struct rq *rq, struct task_struct *p, int flags)
{
	dequeue_entity(&rq->cfs, &p->se, flags);
	sub_nr_running(rq, 1);
}

static __noclone struct sched_entity *pick_next_entity(struct cfs_rq *cfs_rq)
{
	return __pick_first_entity(cfs_rq);
}

/* The running task is on the queue, but not in its tree. */
static void set_next_entity(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (se->on_rq)
		__dequeue_entity(cfs_rq, se);
	se->exec_start = rq_clock(rq_of(cfs_rq));
	se->prev_sum_exec_runtime = se->sum_exec_runtime;
	cfs_rq->curr = se;
}

static inline void put_prev_entity(struct cfs_rq *cfs_rq,
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

static void set_next_task_fair(struct rq *rq, struct task_struct *p, bool first)
{
	set_next_entity(&rq->cfs, &p->se);
}

/*
 * Before idling, a look at the other CPUs' queues. ERR_PTR(-EAGAIN): while
 * that was done a task of a higher class has come.
 */
struct task_struct *pick_next_task_fair(struct rq *rq, struct task_struct *prev)
{
	struct cfs_rq *cfs_rq = &rq->cfs;
	struct sched_entity *se;
	int new_tasks;

	if (!cfs_rq->nr_running) {
		if (!prev)
			return NULL;
		new_tasks = newidle_balance(rq);
		if (new_tasks < 0)
			return ERR_PTR(-EAGAIN);
		if (!new_tasks)
			return NULL;
	}
	if (prev)
		put_prev_task(rq, prev);
	se = pick_next_entity(cfs_rq);
	set_next_entity(cfs_rq, se);
	return task_of(se);
}

static struct task_struct *__pick_next_task_fair(struct rq *rq)
{
	return pick_next_task_fair(rq, NULL);
}

static bool balance_fair(struct rq *rq, struct task_struct *prev)
{
	if (rq->nr_running)
		return true;
	return newidle_balance(rq) != 0;
}

static inline void check_preempt_tick(struct cfs_rq *cfs_rq,
				      struct sched_entity *curr)
{
	u64 slice = sched_slice(cfs_rq, curr);
	u64 ran = curr->sum_exec_runtime - curr->prev_sum_exec_runtime;
	struct sched_entity *first;

	if (ran > slice) {
		resched_curr(rq_of(cfs_rq));
		return;
	}
	if (ran < SCHED_MIN_GRANULARITY)
		return;
	first = __pick_first_entity(cfs_rq);
	if ((s64)(curr->vruntime - first->vruntime) > (s64)slice)
		resched_curr(rq_of(cfs_rq));
}

static inline void entity_tick(struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	update_curr(cfs_rq);
	if (cfs_rq->nr_running > 1)
		check_preempt_tick(cfs_rq, curr);
}

static void task_tick_fair(struct rq *rq, struct task_struct *curr)
{
	entity_tick(&rq->cfs, &curr->se);
}

static inline bool wakeup_preempt_entity(struct sched_entity *curr,
					 struct sched_entity *se)
{
	s64 behind = curr->vruntime - se->vruntime;

	return behind > (s64)calc_delta_fair(SCHED_WAKEUP_GRANULARITY, se);
}

/* Batch and idle tasks stop nobody who is not idle. */
static void check_preempt_wakeup(struct rq *rq, struct task_struct *p,
				 int flags)
{
	struct task_struct *curr = rq->curr;

	if (curr == p || test_bit(TIF_NEED_RESCHED, &curr->thread_info_flags))
		return;
	if (idle_policy(curr->policy) && !idle_policy(p->policy)) {
		resched_curr(rq);
		return;
	}
	if (p->policy != SCHED_NORMAL)
		return;
	update_curr(&rq->cfs);
	if (wakeup_preempt_entity(&curr->se, &p->se))
		resched_curr(rq);
}

/* A child starts with its parent's history, so that forking gains nothing. */
static void task_fork_fair(struct task_struct *p)
{
	struct sched_entity *se = &p->se, *curr;
	struct rq *rq = this_rq();
	struct cfs_rq *cfs_rq = &rq->cfs;
	unsigned long flags;

	raw_spin_lock_irqsave(&rq->__lock, flags);
	update_rq_clock(rq);
	curr = cfs_rq->curr;
	if (curr) {
		update_curr(cfs_rq);
		se->vruntime = curr->vruntime;
	}
	place_entity(cfs_rq, se, true);
	se->vruntime -= cfs_rq->min_vruntime;
	raw_spin_unlock_irqrestore(&rq->__lock, flags);
}

/* Everyone else on the queue goes first. */
static void yield_task_fair(struct rq *rq)
{
	struct cfs_rq *cfs_rq = &rq->cfs;
	struct sched_entity *last;
	struct rb_node *node = rb_last(&cfs_rq->tasks_timeline.rb_root);

	update_rq_clock(rq);
	update_curr(cfs_rq);
	if (!node)
		return;
	last = rb_entry(node, struct sched_entity, run_node);
	if (entity_before(cfs_rq->curr, last))
		cfs_rq->curr->vruntime = last->vruntime;
}

/* It sleeps, or would not be here: relative to the queue that it leaves. */
static void migrate_task_rq_fair(struct task_struct *p, int new_cpu)
{
	if (READ_ONCE(p->__state) == TASK_WAKING)
		p->se.vruntime -= READ_ONCE(task_rq(p)->cfs.min_vruntime);
}

static int find_idlest_cpu(struct task_struct *p, int this_cpu, bool counted)
{
	unsigned int least = UINT_MAX, running;
	int cpu, best = this_cpu;

	if (cpumask_test_cpu(this_cpu, &p->cpus_mask))
		least = cpu_rq(this_cpu)->nr_running - counted;
	for_each_cpu(cpu, &p->cpus_mask) {
		running = READ_ONCE(cpu_rq(cpu)->nr_running);
		if (cpu_online(cpu) && running < least) {
			least = running;
			best = cpu;
		}
	}
	return best;
}

static bool available_idle_cpu(int cpu)
{
	return idle_cpu(cpu);
}

/* @target if it is idle, or another idle CPU, or @target after all. */
static int select_idle_sibling(struct task_struct *p, int target)
{
	int cpu;

	if (available_idle_cpu(target))
		return target;
	for_each_cpu(cpu, &p->cpus_mask)
		if (cpu != target && cpu_online(cpu) && idle_cpu(cpu))
			return cpu;
	return target;
}

static int select_task_rq_fair(struct task_struct *p, int prev_cpu, int flags)
{
	int this_cpu = smp_processor_id();

	if (flags & (WF_FORK | WF_EXEC))
		return find_idlest_cpu(p, this_cpu, flags & WF_EXEC);
	if (flags & WF_SYNC && this_rq()->nr_running == 1 &&
	    cpumask_test_cpu(this_cpu, &p->cpus_mask) && !idle_cpu(prev_cpu))
		return this_cpu;
	return select_idle_sibling(p, prev_cpu);
}

/* Relative already: nobody has queued it yet, or it is only off to move. */
static inline bool vruntime_normalized(const struct task_struct *p)
{
	return p->on_rq || READ_ONCE(p->__state) == TASK_NEW;
}

/* A sleeper's vruntime is absolute; it must not be in another class. */
static void switched_from_fair(struct rq *rq, struct task_struct *p)
{
	if (!vruntime_normalized(p)) {
		place_entity(&rq->cfs, &p->se, false);
		p->se.vruntime -= rq->cfs.min_vruntime;
	}
}

static void switched_to_fair(struct rq *rq, struct task_struct *p)
{
	if (!vruntime_normalized(p))
		p->se.vruntime += rq->cfs.min_vruntime;
	if (!task_on_rq_queued(p))
		return;
	if (task_current(rq, p))
		resched_curr(rq);
	else
		check_preempt_curr(rq, p, 0);
}

static void prio_changed_fair(struct rq *rq, struct task_struct *p, int oldprio)
{
	if (!task_on_rq_queued(p) || rq->cfs.nr_running == 1)
		return;
	if (!task_current(rq, p))
		check_preempt_curr(rq, p, 0);
	else if (p->prio > oldprio)
		resched_curr(rq);
}

/* The weight counts in the queue's load while the task is on it. */
void reweight_task(struct task_struct *p, unsigned long weight)
{
	struct cfs_rq *cfs_rq = &task_rq(p)->cfs;

	if (p->se.on_rq) {
		if (cfs_rq->curr == &p->se)
			update_curr(cfs_rq);
		cfs_rq->load += weight - p->se.weight;
	}
	p->se.weight = weight;
}

static unsigned int get_rr_interval_fair(struct rq *rq, struct task_struct *p)
{
	return rq->cfs.load ? (unsigned int)(sched_slice(&rq->cfs, &p->se) /
					     TICK_NSEC) : 0;
}

void init_cfs_rq(struct cfs_rq *cfs_rq)
{
	cfs_rq->tasks_timeline = RB_ROOT_CACHED;
}

DEFINE_SCHED_CLASS(fair) = {
	.enqueue_task = enqueue_task_fair,
	.dequeue_task = dequeue_task_fair,
	.yield_task = yield_task_fair,
	.check_preempt_curr = check_preempt_wakeup,
	.pick_next_task = __pick_next_task_fair,
	.put_prev_task = put_prev_task_fair,
	.set_next_task = set_next_task_fair,
	.balance = balance_fair,
	.select_task_rq = select_task_rq_fair,
	.migrate_task_rq = migrate_task_rq_fair,
	.set_cpus_allowed = set_cpus_allowed_common,
	.task_tick = task_tick_fair,
	.task_fork = task_fork_fair,
	.switched_from = switched_from_fair,
	.switched_to = switched_to_fair,
	.prio_changed = prio_changed_fair,
	.get_rr_interval = get_rr_interval_fair,
	.update_curr = update_curr_fair,
};
