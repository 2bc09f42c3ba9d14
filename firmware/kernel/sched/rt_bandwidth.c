/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real-time tasks get at most 950 ms of every second of a CPU, so that one that
 * never sleeps leaves something to the others: Linux's default.
 */
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include "sched.h"

#define RT_PERIOD	1000000000ULL
#define RT_RUNTIME	950000000ULL

static struct rt_bandwidth {
	raw_spinlock_t lock;
	struct hrtimer rt_period_timer;
	bool rt_period_active;
} def_rt_bandwidth;

/* The tasks of the class count again, or for the first time. */
void enqueue_top_rt_rq(struct rt_rq *rt_rq)
{
	struct rq *rq = container_of(rt_rq, struct rq, rt);

	if (rt_rq->rt_queued || rt_rq->rt_throttled || !rt_rq->rt_nr_running)
		return;
	add_nr_running(rq, rt_rq->rt_nr_running);
	rt_rq->rt_queued = true;
}

void dequeue_top_rt_rq(struct rt_rq *rt_rq, unsigned int count)
{
	struct rq *rq = container_of(rt_rq, struct rq, rt);

	if (!rt_rq->rt_queued)
		return;
	sub_nr_running(rq, count);
	rt_rq->rt_queued = false;
}

bool sched_rt_runtime_exceeded(struct rt_rq *rt_rq)
{
	static bool told;

	if (rt_rq->rt_throttled)
		return rt_rq->rt_queued;
	if (rt_rq->rt_time <= RT_RUNTIME)
		return false;
	rt_rq->rt_throttled = true;
	if (!told) {
		told = true;
		pr_warn("sched: RT throttling activated\n");
	}
	dequeue_top_rt_rq(rt_rq, rt_rq->rt_nr_running);
	return true;
}

/* At the end of @overrun periods. Returns whether this may stop. */
static bool do_sched_rt_period_timer(int overrun)
{
	bool idle = true;
	struct rt_rq *rt_rq;
	struct rq *rq;
	int cpu;

	for_each_online_cpu(cpu) {
		rq = cpu_rq(cpu);
		rt_rq = &rq->rt;
		raw_spin_rq_lock(rq);
		update_rq_clock(rq);
		rt_rq->rt_time -= min(rt_rq->rt_time, overrun * RT_RUNTIME);
		if (rt_rq->rt_throttled && rt_rq->rt_time < RT_RUNTIME) {
			rt_rq->rt_throttled = false;
			enqueue_top_rt_rq(rt_rq);
			if (rt_rq->rt_queued &&
			    rt_rq_highest(rt_rq) < rq->curr->prio)
				resched_curr(rq);
		}
		if (rt_rq->rt_time || rt_rq->rt_nr_running)
			idle = false;
		raw_spin_rq_unlock(rq);
	}
	return idle;
}

static enum hrtimer_restart sched_rt_period_timer(struct hrtimer *timer)
{
	struct rt_bandwidth *rt_b =
		container_of(timer, struct rt_bandwidth, rt_period_timer);
	bool idle = false;
	int overrun;

	raw_spin_lock(&rt_b->lock);
	while ((overrun = hrtimer_forward(timer, ktime_get(), RT_PERIOD))) {
		raw_spin_unlock(&rt_b->lock);
		idle = do_sched_rt_period_timer(overrun);
		raw_spin_lock(&rt_b->lock);
	}
	if (idle)
		rt_b->rt_period_active = false;
	raw_spin_unlock(&rt_b->lock);
	return idle ? HRTIMER_NORESTART : HRTIMER_RESTART;
}

/* A first real-time task has come: from now on periods are counted. */
void start_rt_bandwidth(void)
{
	struct rt_bandwidth *rt_b = &def_rt_bandwidth;

	if (READ_ONCE(rt_b->rt_period_active))
		return;
	raw_spin_lock(&rt_b->lock);
	if (!rt_b->rt_period_active) {
		rt_b->rt_period_active = true;
		hrtimer_start(&rt_b->rt_period_timer, RT_PERIOD,
			      HRTIMER_MODE_REL);
	}
	raw_spin_unlock(&rt_b->lock);
}

void __init init_rt_bandwidth(void)
{
	struct rt_bandwidth *rt_b = &def_rt_bandwidth;

	raw_spin_lock_init(&rt_b->lock);
}

/* Once there are timers. */
static int __init init_rt_period_timer(void)
{
	struct rt_bandwidth *rt_b = &def_rt_bandwidth;

	hrtimer_init(&rt_b->rt_period_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	rt_b->rt_period_timer.function = sched_rt_period_timer;
	return 0;
}
early_initcall(init_rt_period_timer);
