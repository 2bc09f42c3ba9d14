/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real-time tasks get at most 950 ms of every second of a CPU, so that one that
 * never sleeps leaves something to the others: Linux's default, which
 * sched_rt_runtime_us and sched_rt_period_us change.
 */
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sysctl.h>
#include "sched.h"

/* In microseconds; a runtime of -1 is without limit. */
static unsigned int sysctl_sched_rt_period = 1000000;
static int sysctl_sched_rt_runtime = 950000;

static struct rt_bandwidth {
	raw_spinlock_t lock;
	u64 rt_period;
	u64 rt_runtime;
	struct hrtimer rt_period_timer;
	bool rt_period_active;
} def_rt_bandwidth;

static inline u64 sched_rt_period(void)
{
	return READ_ONCE(def_rt_bandwidth.rt_period);
}

static inline u64 sched_rt_runtime(void)
{
	return READ_ONCE(def_rt_bandwidth.rt_runtime);
}

/* Of each period. As in Linux, no runtime at all is no limit either. */
static inline u64 sched_rt_limit(void)
{
	u64 runtime = sched_rt_runtime(), period = sched_rt_period();

	return runtime ? min(runtime, period) : period;
}

static inline u64 global_rt_period(void)
{
	return sysctl_sched_rt_period * NSEC_PER_USEC;
}

static inline u64 global_rt_runtime(void)
{
	return sysctl_sched_rt_runtime < 0 ? RUNTIME_INF :
	       sysctl_sched_rt_runtime * NSEC_PER_USEC;
}

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
	if (sched_rt_limit() >= sched_rt_period() ||
	    rt_rq->rt_time <= sched_rt_limit())
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
	u64 runtime = sched_rt_limit();
	bool idle = true;
	struct rt_rq *rt_rq;
	struct rq *rq;
	int cpu;

	for_each_online_cpu(cpu) {
		rq = cpu_rq(cpu);
		rt_rq = &rq->rt;
		raw_spin_rq_lock(rq);
		update_rq_clock(rq);
		rt_rq->rt_time -= min(rt_rq->rt_time, overrun * runtime);
		if (rt_rq->rt_throttled && rt_rq->rt_time < runtime) {
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
	while ((overrun = hrtimer_forward(timer, ktime_get(),
					  rt_b->rt_period))) {
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
		hrtimer_start(&rt_b->rt_period_timer, rt_b->rt_period,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
	raw_spin_unlock(&rt_b->lock);
}

void __init init_rt_bandwidth(void)
{
	struct rt_bandwidth *rt_b = &def_rt_bandwidth;

	raw_spin_lock_init(&rt_b->lock);
	rt_b->rt_period = global_rt_period();
	rt_b->rt_runtime = global_rt_runtime();
}

/* Once there are timers. */
static int __init init_rt_period_timer(void)
{
	struct rt_bandwidth *rt_b = &def_rt_bandwidth;

	hrtimer_init(&rt_b->rt_period_timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_REL_HARD);
	rt_b->rt_period_timer.function = sched_rt_period_timer;
	return 0;
}
early_initcall(init_rt_period_timer);

static int sched_rt_global_validate(void)
{
	if (sysctl_sched_rt_runtime >= 0 &&
	    sysctl_sched_rt_runtime > sysctl_sched_rt_period)
		return -EINVAL;
	return 0;
}

static void sched_rt_do_global(void)
{
	struct rt_bandwidth *rt_b = &def_rt_bandwidth;
	unsigned long flags;

	raw_spin_lock_irqsave(&rt_b->lock, flags);
	rt_b->rt_period = global_rt_period();
	rt_b->rt_runtime = global_rt_runtime();
	raw_spin_unlock_irqrestore(&rt_b->lock, flags);
}

/* Deadline tasks are promised no more than the same part of a CPU. */
static int sched_rt_handler(struct ctl_table *table, int write, void *buffer,
			    size_t *lenp, loff_t *ppos)
{
	static DEFINE_MUTEX(mutex);
	unsigned int old_period;
	int old_runtime, err;

	mutex_lock(&mutex);
	old_period = sysctl_sched_rt_period;
	old_runtime = sysctl_sched_rt_runtime;
	err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);
	if (!err && write) {
		err = sched_rt_global_validate();
		if (!err)
			err = sched_dl_global_change(global_rt_period(),
						     global_rt_runtime());
		if (!err)
			sched_rt_do_global();
	}
	if (err) {
		sysctl_sched_rt_period = old_period;
		sysctl_sched_rt_runtime = old_runtime;
	}
	mutex_unlock(&mutex);
	return err;
}

static const int runtime_min = -1;

static struct ctl_table sched_rt_sysctls[] = {
	{
		.procname	= "sched_rt_period_us",
		.data		= &sysctl_sched_rt_period,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= sched_rt_handler,
		.extra1		= SYSCTL_ONE,
		.extra2		= SYSCTL_INT_MAX,
	},
	{
		.procname	= "sched_rt_runtime_us",
		.data		= &sysctl_sched_rt_runtime,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= sched_rt_handler,
		.extra1		= (void *)&runtime_min,
		.extra2		= SYSCTL_INT_MAX,
	},
	{ }
};

static int __init sched_rt_sysctl_init(void)
{
	register_sysctl_init("kernel", sched_rt_sysctls);
	return 0;
}
late_initcall(sched_rt_sysctl_init);
