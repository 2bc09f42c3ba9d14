/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The deadline class: earliest deadline first. A task that has used up its
 * runtime waits for the next period (constant bandwidth server), so that it
 * cannot take what was promised to others.
 */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
#include "sched.h"

/* So that products of two times fit. */
#define DL_SCALE	10

#define node_to_dl(node)	rb_entry(node, struct sched_dl_entity, rb_node)

static inline bool dl_is_implicit(const struct sched_dl_entity *dl_se)
{
	return dl_se->dl_deadline == dl_se->dl_period;
}

static inline bool dl_runtime_exceeded(const struct sched_dl_entity *dl_se)
{
	return dl_se->runtime <= 0;
}

struct task_struct *dl_earliest(const struct dl_rq *dl_rq)
{
	struct rb_node *left = rb_first_cached(&dl_rq->root);

	return left ? dl_task_of(node_to_dl(left)) : NULL;
}

static inline u64 dl_next_period(const struct sched_dl_entity *dl_se)
{
	return dl_se->deadline - dl_se->dl_deadline + dl_se->dl_period;
}

static void setup_new_dl_entity(struct sched_dl_entity *dl_se, struct rq *rq)
{
	dl_se->deadline = rq_clock(rq) + dl_se->dl_deadline;
	dl_se->runtime = dl_se->dl_runtime;
}

/* By as many periods as it takes to pay back what was used too much. */
static void replenish_dl_entity(struct sched_dl_entity *dl_se, struct rq *rq)
{
	if (dl_se->dl_yielded && dl_se->runtime > 0)
		dl_se->runtime = 0;
	while (dl_se->runtime <= 0) {
		dl_se->deadline += dl_se->dl_period;
		dl_se->runtime += dl_se->dl_runtime;
	}
	/* It lags far behind: it starts anew. */
	if (dl_time_before(dl_se->deadline, rq_clock(rq)))
		setup_new_dl_entity(dl_se, rq);
	dl_se->dl_yielded = false;
	dl_se->dl_throttled = false;
}

/* Would what is left until the deadline be more than its share of the CPU? */
static bool dl_entity_overflow(const struct sched_dl_entity *dl_se, u64 t)
{
	u64 left = (dl_se->dl_deadline >> DL_SCALE) *
		   ((u64)dl_se->runtime >> DL_SCALE);
	u64 right = ((dl_se->deadline - t) >> DL_SCALE) *
		    (dl_se->dl_runtime >> DL_SCALE);

	return dl_time_before(right, left);
}

/* With less time than its period it gets what its density allows until then. */
static void update_dl_revised_wakeup(struct sched_dl_entity *dl_se,
				     struct rq *rq)
{
	u64 laxity = dl_se->deadline - rq_clock(rq);

	dl_se->runtime = dl_se->dl_density * laxity >> BW_SHIFT;
}

/* A task that wakes: its last deadline holds unless it is past or too near. */
static void update_dl_entity(struct sched_dl_entity *dl_se, struct rq *rq)
{
	if (dl_time_before(dl_se->deadline, rq_clock(rq)) ||
	    dl_entity_overflow(dl_se, rq_clock(rq))) {
		if (!dl_is_implicit(dl_se) &&
		    !dl_time_before(dl_se->deadline, rq_clock(rq))) {
			update_dl_revised_wakeup(dl_se, rq);
			return;
		}
		setup_new_dl_entity(dl_se, rq);
	}
}

/* For the start of the next period; false if that is past. */
static bool start_dl_timer(struct task_struct *p)
{
	struct sched_dl_entity *dl_se = &p->dl;
	u64 act = dl_next_period(dl_se);

	if ((s64)(act - ktime_get()) < 0)
		return false;
	if (!hrtimer_is_queued(&dl_se->dl_timer)) {
		get_task_struct(p);
		hrtimer_start(&dl_se->dl_timer, act, HRTIMER_MODE_ABS_HARD);
	}
	return true;
}

static inline bool __dl_less(struct rb_node *a, const struct rb_node *b)
{
	return dl_time_before(node_to_dl(a)->deadline, node_to_dl(b)->deadline);
}

static void __enqueue_dl_entity(struct rq *rq, struct sched_dl_entity *dl_se)
{
	rb_add_cached(&dl_se->rb_node, &rq->dl.root, __dl_less);
	dl_se->on_rq = true;
	rq->dl.dl_nr_running++;
	add_nr_running(rq, 1);
}

static void __dequeue_dl_entity(struct rq *rq, struct sched_dl_entity *dl_se)
{
	if (!dl_se->on_rq)
		return;
	rb_erase_cached(&dl_se->rb_node, &rq->dl.root);
	dl_se->on_rq = false;
	rq->dl.dl_nr_running--;
	sub_nr_running(rq, 1);
}

static void enqueue_dl_entity(struct rq *rq, struct sched_dl_entity *dl_se,
			      int flags)
{
	if (flags & ENQUEUE_WAKEUP)
		update_dl_entity(dl_se, rq);
	else if (flags & ENQUEUE_REPLENISH)
		replenish_dl_entity(dl_se, rq);
	else if (flags & ENQUEUE_RESTORE &&
		 dl_time_before(dl_se->deadline, rq_clock(rq)))
		setup_new_dl_entity(dl_se, rq);
	__enqueue_dl_entity(rq, dl_se);
}

/* Between deadline and the period's end there is no runtime. */
static void dl_check_constrained_dl(struct sched_dl_entity *dl_se,
				    struct rq *rq)
{
	u64 now = rq_clock(rq);

	if (dl_time_before(dl_se->deadline, now) &&
	    dl_time_before(now, dl_next_period(dl_se)) &&
	    start_dl_timer(dl_task_of(dl_se))) {
		dl_se->dl_throttled = true;
		if (dl_se->runtime > 0)
			dl_se->runtime = 0;
	}
}

static void enqueue_task_dl(struct rq *rq, struct task_struct *p, int flags)
{
	if (!p->dl.dl_throttled && !dl_is_implicit(&p->dl))
		dl_check_constrained_dl(&p->dl, rq);
	/* Its timer does it. */
	if (p->dl.dl_throttled && !(flags & ENQUEUE_REPLENISH))
		return;
	enqueue_dl_entity(rq, &p->dl, flags);
	if (!task_current(rq, p) && p->nr_cpus_allowed > 1)
		enqueue_pushable_dl_task(rq, p);
}

static void __dequeue_task_dl(struct rq *rq, struct task_struct *p)
{
	__dequeue_dl_entity(rq, &p->dl);
	dequeue_pushable_dl_task(rq, p);
}

static void update_curr_dl(struct rq *rq)
{
	struct task_struct *curr = rq->curr;
	struct sched_dl_entity *dl_se = &curr->dl;
	u64 now = rq_clock(rq);

	if (curr->sched_class != &dl_sched_class || !dl_se->on_rq)
		return;
	if (now > curr->se.exec_start) {
		u64 delta = now - curr->se.exec_start;

		trace_sched_stat_runtime(curr, delta, 0);
		curr->se.exec_start = now;
		curr->se.sum_exec_runtime += delta;
		dl_se->runtime -= delta;
	}
	if (!dl_runtime_exceeded(dl_se) && !dl_se->dl_yielded)
		return;
	dl_se->dl_throttled = true;
	__dequeue_task_dl(rq, curr);
	if (unlikely(!start_dl_timer(curr)))
		enqueue_task_dl(rq, curr, ENQUEUE_REPLENISH);
	if (dl_earliest(&rq->dl) != curr)
		resched_curr(rq);
}

static void dequeue_task_dl(struct rq *rq, struct task_struct *p, int flags)
{
	update_curr_dl(rq);
	__dequeue_task_dl(rq, p);
}

/* The rest of its runtime it does not need: it is done for this period. */
static void yield_task_dl(struct rq *rq)
{
	rq->curr->dl.dl_yielded = true;
	update_rq_clock(rq);
	update_curr_dl(rq);
}

static void check_preempt_curr_dl(struct rq *rq, struct task_struct *p,
				  int flags)
{
	if (dl_entity_preempt(&p->dl, &rq->curr->dl))
		resched_curr(rq);
}

/* The next period has begun. */
static enum hrtimer_restart dl_task_timer(struct hrtimer *timer)
{
	struct task_struct *p = container_of(timer, struct task_struct,
					     dl.dl_timer);
	unsigned long flags;
	struct rq *rq = task_rq_lock(p, &flags);

	if (!dl_task(p) || !p->dl.dl_throttled)
		goto unlock;
	update_rq_clock(rq);
	if (!task_on_rq_queued(p)) {
		replenish_dl_entity(&p->dl, rq);
		goto unlock;
	}
	enqueue_task_dl(rq, p, ENQUEUE_REPLENISH);
	if (dl_task(rq->curr))
		check_preempt_curr_dl(rq, p, 0);
	else
		resched_curr(rq);
	if (rq->dl.overloaded)
		push_dl_tasks(rq);
unlock:
	task_rq_unlock(rq, p, &flags);
	put_task_struct(p);
	return HRTIMER_NORESTART;
}

void init_dl_task_timer(struct sched_dl_entity *dl_se)
{
	hrtimer_init(&dl_se->dl_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	dl_se->dl_timer.function = dl_task_timer;
}

/* Where it was, unless an earlier deadline runs there. */
static int select_task_rq_dl(struct task_struct *p, int cpu, int flags)
{
	struct task_struct *curr = READ_ONCE(cpu_rq(cpu)->curr);
	struct task_struct *first;
	int target;

	if (flags & WF_TTWU && dl_task(curr) &&
	    (curr->nr_cpus_allowed < 2 ||
	     !dl_entity_preempt(&p->dl, &curr->dl)) && p->nr_cpus_allowed > 1) {
		target = find_later_rq(p);
		if (target >= 0) {
			first = dl_earliest(&cpu_rq(target)->dl);
			if (!first || dl_entity_preempt(&p->dl, &first->dl))
				cpu = target;
		}
	}
	return cpu;
}

static void set_next_task_dl(struct rq *rq, struct task_struct *p, bool first)
{
	p->se.exec_start = rq_clock(rq);
	dequeue_pushable_dl_task(rq, p);
	if (first && rq->dl.overloaded)
		queue_balance_callback(rq, BALANCE_PUSH_DL);
}

static struct task_struct *pick_next_task_dl(struct rq *rq)
{
	struct task_struct *p;

	if (!rq->dl.dl_nr_running)
		return NULL;
	p = dl_earliest(&rq->dl);
	set_next_task_dl(rq, p, true);
	return p;
}

static void put_prev_task_dl(struct rq *rq, struct task_struct *p)
{
	update_curr_dl(rq);
	if (p->dl.on_rq && p->nr_cpus_allowed > 1)
		enqueue_pushable_dl_task(rq, p);
}

static bool balance_dl(struct rq *rq, struct task_struct *p)
{
	if (!p->dl.on_rq)
		pull_dl_task(rq);
	return (rq->stop && task_on_rq_queued(rq->stop)) ||
	       rq->dl.dl_nr_running;
}

static void task_woken_dl(struct rq *rq, struct task_struct *p)
{
	if (!task_current(rq, p) &&
	    !test_bit(TIF_NEED_RESCHED, &rq->curr->thread_info_flags) &&
	    p->nr_cpus_allowed > 1 && dl_task(rq->curr) &&
	    (rq->curr->nr_cpus_allowed < 2 ||
	     !dl_entity_preempt(&p->dl, &rq->curr->dl)))
		push_dl_tasks(rq);
}

static void task_tick_dl(struct rq *rq, struct task_struct *p)
{
	update_curr_dl(rq);
}

static void task_dead_dl(struct task_struct *p)
{
	dl_release_bw(p);
}

static void switched_from_dl(struct rq *rq, struct task_struct *p)
{
	p->dl.dl_throttled = false;
	if (task_on_rq_queued(p) && !rq->dl.dl_nr_running)
		queue_balance_callback(rq, BALANCE_PULL_DL);
}

static void switched_to_dl(struct rq *rq, struct task_struct *p)
{
	if (!task_on_rq_queued(p) || task_current(rq, p))
		return;
	if (p->nr_cpus_allowed > 1 && rq->dl.overloaded)
		queue_balance_callback(rq, BALANCE_PUSH_DL);
	if (dl_task(rq->curr))
		check_preempt_curr_dl(rq, p, 0);
	else
		resched_curr(rq);
}

static void prio_changed_dl(struct rq *rq, struct task_struct *p, int oldprio)
{
	if (task_on_rq_queued(p) || task_current(rq, p))
		resched_curr(rq);
}

void init_dl_rq(struct dl_rq *dl_rq)
{
	dl_rq->root = RB_ROOT_CACHED;
	dl_rq->pushable = RB_ROOT_CACHED;
}

DEFINE_SCHED_CLASS(dl) = {
	.enqueue_task = enqueue_task_dl,
	.dequeue_task = dequeue_task_dl,
	.yield_task = yield_task_dl,
	.check_preempt_curr = check_preempt_curr_dl,
	.pick_next_task = pick_next_task_dl,
	.put_prev_task = put_prev_task_dl,
	.set_next_task = set_next_task_dl,
	.balance = balance_dl,
	.select_task_rq = select_task_rq_dl,
	.task_woken = task_woken_dl,
	.set_cpus_allowed = set_cpus_allowed_common,
	.task_tick = task_tick_dl,
	.task_dead = task_dead_dl,
	.switched_from = switched_from_dl,
	.switched_to = switched_to_dl,
	.prio_changed = prio_changed_dl,
	.update_curr = update_curr_dl,
};
