/* SPDX-License-Identifier: GPL-2.0-only */
/* Queues and pools: making and ending them, and those that always exist. */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "internal.h"

DEFINE_PER_CPU(struct worker_pool[NR_STD_WORKER_POOLS], cpu_worker_pools);
struct worker_pool unbound_std_pools[NR_STD_WORKER_POOLS];
struct worker_pool *worker_pools[MAX_POOLS];

struct workqueue_struct *system_wq;
struct workqueue_struct *system_highpri_wq;
struct workqueue_struct *system_long_wq;
struct workqueue_struct *system_unbound_wq;
struct workqueue_struct *system_freezable_wq;
struct workqueue_struct *system_power_efficient_wq;

static struct kmem_cache *pwq_cache;
static DEFINE_MUTEX(wq_pool_mutex);
static LIST_HEAD(workqueues);

static struct worker_pool *std_pool(int cpu, bool highpri)
{
	return cpu < 0 ? &unbound_std_pools[highpri] :
			 &(*per_cpu_ptr(&cpu_worker_pools, cpu))[highpri];
}

static struct pool_workqueue *alloc_pwq(struct workqueue_struct *wq, int cpu)
{
	struct pool_workqueue *pwq = kmem_cache_zalloc(pwq_cache, GFP_KERNEL);

	if (!pwq)
		return NULL;
	pwq->wq = wq;
	pwq->pool = std_pool(cpu, wq->flags & WQ_HIGHPRI);
	INIT_LIST_HEAD(&pwq->inactive_works);
	return pwq;
}

static void free_workqueue(struct workqueue_struct *wq)
{
	unsigned int cpu;

	if (wq->dfl_pwq)
		kmem_cache_free(pwq_cache, wq->dfl_pwq);
	for (cpu = 0; wq->cpu_pwqs && cpu < nr_cpu_ids; cpu++)
		if (wq->cpu_pwqs[cpu])
			kmem_cache_free(pwq_cache, wq->cpu_pwqs[cpu]);
	kfree(wq->cpu_pwqs);
	kfree(wq);
}

static int alloc_and_link_pwqs(struct workqueue_struct *wq)
{
	unsigned int cpu;

	if (wq->flags & WQ_UNBOUND) {
		cpus_read_lock();
		wq->dfl_pwq = alloc_pwq(wq, -1);
		cpus_read_unlock();
		return wq->dfl_pwq ? 0 : -ENOMEM;
	}
	wq->cpu_pwqs = kcalloc(nr_cpu_ids, sizeof(*wq->cpu_pwqs), GFP_KERNEL);
	if (!wq->cpu_pwqs)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		wq->cpu_pwqs[cpu] = alloc_pwq(wq, cpu);
		if (!wq->cpu_pwqs[cpu])
			return -ENOMEM;
	}
	return 0;
}

struct workqueue_struct *alloc_workqueue(const char *fmt, unsigned int flags,
					 int max_active, ...)
{
	struct workqueue_struct *wq = kzalloc(sizeof(*wq), GFP_KERNEL);
	va_list args;

	if (!wq)
		return NULL;
	va_start(args, max_active);
	vsnprintf(wq->name, sizeof(wq->name), fmt, args);
	va_end(args);
	wq->flags = flags;
	wq->max_active = clamp(max_active ?: WQ_DFL_ACTIVE, 1, WQ_MAX_ACTIVE);
	mutex_init(&wq->mutex);
	if (alloc_and_link_pwqs(wq)) {
		free_workqueue(wq);
		return NULL;
	}
	mutex_lock(&wq_pool_mutex);
	list_add_tail(&wq->list, &workqueues);
	mutex_unlock(&wq_pool_mutex);
	return wq;
}

static void rcu_free_wq(struct workqueue_struct *wq)
{
	/* Who queued the last work may still hold on to the queue's part. */
	synchronize_rcu();
	free_workqueue(wq);
}

/* Nobody may queue anything on it any more. */
void destroy_workqueue(struct workqueue_struct *wq)
{
	drain_workqueue(wq);
	mutex_lock(&wq_pool_mutex);
	list_del(&wq->list);
	mutex_unlock(&wq_pool_mutex);
	rcu_free_wq(wq);
}

static void __init init_worker_pool(struct worker_pool *pool, int cpu,
				    bool highpri)
{
	static int next_id;

	raw_spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->worklist);
	INIT_LIST_HEAD(&pool->idle_list);
	INIT_LIST_HEAD(&pool->busy_list);
	timer_setup(&pool->idle_timer, idle_worker_timeout, TIMER_DEFERRABLE);
	pool->cpu = cpu;
	pool->nice = highpri ? HIGHPRI_NICE_LEVEL : 0;
	pool->id = next_id++;
	worker_pools[pool->id] = pool;
}

static struct workqueue_struct *__init system_queue(const char *name,
						    unsigned int flags,
						    int max_active)
{
	struct workqueue_struct *wq = alloc_workqueue("%s", flags, max_active,
						      name);

	if (!wq)
		panic("no memory for workqueue %s", name);
	return wq;
}

/* Works can be queued from here on; they run when there are workers. */
void __init workqueue_init_early(void)
{
	int cpu, i;

	pwq_cache = KMEM_CACHE(pool_workqueue, SLAB_PANIC);
	for_each_possible_cpu(cpu)
		for (i = 0; i < NR_STD_WORKER_POOLS; i++)
			init_worker_pool(std_pool(cpu, i), cpu, i);
	for (i = 0; i < NR_STD_WORKER_POOLS; i++)
		init_worker_pool(std_pool(-1, i), -1, i);

	system_wq = system_queue("events", 0, 0);
	system_highpri_wq = system_queue("events_highpri", WQ_HIGHPRI, 0);
	system_long_wq = system_queue("events_long", 0, 0);
	system_unbound_wq = system_queue("events_unbound", WQ_UNBOUND,
					 WQ_MAX_ACTIVE);
	system_freezable_wq = system_queue("events_freezable", WQ_FREEZABLE, 0);
	system_power_efficient_wq = system_queue("events_power_efficient",
						 WQ_POWER_EFFICIENT, 0);
}

/* The first worker of each pool; each makes the next one when it is needed. */
static int __init workqueue_init(void)
{
	int cpu, i;

	for_each_online_cpu(cpu)
		for (i = 0; i < NR_STD_WORKER_POOLS; i++)
			if (!create_worker(std_pool(cpu, i)))
				return -ENOMEM;
	for (i = 0; i < NR_STD_WORKER_POOLS; i++)
		if (!create_worker(std_pool(-1, i)))
			return -ENOMEM;
	return 0;
}
core_initcall(workqueue_init);
