/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/lkdtm: what is left for later is done later, once, and where it should. */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "lkdtm.h"

struct test_work {
	struct work_struct work;
	unsigned int cpu;	/* where it ran last */
	atomic_t runs;
	unsigned int msecs;	/* for which it sleeps */
	unsigned long ended;
};

static void lkdtm_work(struct work_struct *work)
{
	struct test_work *w = container_of(work, struct test_work, work);

	w->cpu = raw_smp_processor_id();
	if (w->msecs)
		msleep(w->msecs);
	w->ended = jiffies;
	atomic_inc(&w->runs);
}

static void init_test_work(struct test_work *w, unsigned int msecs)
{
	INIT_WORK(&w->work, lkdtm_work);
	w->msecs = msecs;
	w->cpu = NR_CPUS;
	atomic_set(&w->runs, 0);
}

/* Each on its CPU, of each priority. */
static void test_bound(struct workqueue_struct *wq, struct test_work *w)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		init_test_work(w, 0);
		WARN_ON(!queue_work_on(cpu, wq, &w->work));
		flush_work(&w->work);
		WARN_ON(w->cpu != cpu || atomic_read(&w->runs) != 1);
	}
}

/* A worker that sleeps lets the next work start; an ordered queue waits. */
static void test_sleepers(struct workqueue_struct *wq, bool ordered,
			  struct test_work *w)
{
	init_test_work(&w[0], 20);
	init_test_work(&w[1], 0);
	queue_work_on(0, wq, &w[0].work);
	queue_work_on(0, wq, &w[1].work);
	WARN_ON(queue_work_on(0, wq, &w[1].work));
	flush_workqueue(wq);
	WARN_ON(atomic_read(&w[0].runs) != 1 || atomic_read(&w[1].runs) != 1);
	WARN_ON(time_after(w[0].ended, w[1].ended) == ordered);
}

static void test_requeue(struct test_work *w)
{
	/* While it runs it can be queued again, and does not run twice. */
	init_test_work(w, 10);
	schedule_work(&w->work);
	msleep(3);
	WARN_ON(!schedule_work(&w->work));
	flush_work(&w->work);
	WARN_ON(atomic_read(&w->runs) != 2);

	/* What has not begun can be taken back. */
	init_test_work(w, 10);
	schedule_work(&w->work);
	msleep(3);
	schedule_work(&w->work);
	WARN_ON(!cancel_work_sync(&w->work));
	WARN_ON(atomic_read(&w->runs) != 1);
	WARN_ON(cancel_work_sync(&w->work) || work_pending(&w->work));
}

struct test_delayed {
	struct delayed_work dwork;
	unsigned long ran;
};

static void lkdtm_delayed_work(struct work_struct *work)
{
	struct test_delayed *d = container_of(to_delayed_work(work),
					      struct test_delayed, dwork);

	d->ran = jiffies;
}

static void test_delayed(struct test_delayed *d)
{
	unsigned long start = jiffies;

	INIT_DELAYED_WORK(&d->dwork, lkdtm_delayed_work);
	schedule_delayed_work(&d->dwork, 10);
	WARN_ON(schedule_delayed_work(&d->dwork, 1));
	WARN_ON(!mod_delayed_work(system_wq, &d->dwork, 20));
	msleep(40);
	WARN_ON(d->ran - start < 20 || d->ran - start > 30);

	d->ran = 0;
	schedule_delayed_work(&d->dwork, 1000 * HZ);
	WARN_ON(!flush_delayed_work(&d->dwork) || !d->ran);
	d->ran = 0;
	schedule_delayed_work(&d->dwork, 5);
	WARN_ON(!cancel_delayed_work_sync(&d->dwork));
	msleep(10);
	WARN_ON(d->ran);
}

void lkdtm_WORKQUEUE(void)
{
	struct workqueue_struct *wq, *ordered, *high;
	struct test_delayed *d = kzalloc(sizeof(*d), GFP_KERNEL);
	struct test_work *w = kcalloc(2, sizeof(*w), GFP_KERNEL);

	wq = alloc_workqueue("lkdtm", 0, 0);
	ordered = alloc_ordered_workqueue("lkdtm_%s", 0, "ordered");
	high = alloc_workqueue("lkdtm_high", WQ_HIGHPRI, 1);
	if (WARN_ON(!d || !w || !wq || !ordered || !high))
		return;
	test_bound(wq, w);
	test_bound(high, w);
	test_sleepers(wq, false, w);
	test_sleepers(ordered, true, w);
	test_sleepers(system_unbound_wq, false, w);
	test_requeue(w);
	test_delayed(d);
	destroy_workqueue(wq);
	destroy_workqueue(ordered);
	destroy_workqueue(high);
	kfree(w);
	kfree(d);
}

struct test_tasklet {
	struct tasklet_struct tasklet;
	unsigned int cpu;
	unsigned int runs;
	bool in_softirq;
	unsigned int again;	/* so often it schedules itself */
};

static void lkdtm_tasklet(struct tasklet_struct *t)
{
	struct test_tasklet *test = from_tasklet(test, t, tasklet);

	test->cpu = smp_processor_id();
	test->in_softirq = in_serving_softirq() && !in_hardirq();
	test->runs++;
	if (test->again) {
		test->again--;
		tasklet_schedule(t);
	}
}

/* More rounds than __do_softirq() serves: the rest is for ksoftirqd. */
#define TASKLET_ROUNDS	25

void lkdtm_TASKLET(void)
{
	struct test_tasklet *t = kzalloc(sizeof(*t), GFP_KERNEL);
	unsigned int cpu;

	if (WARN_ON(!t))
		return;
	tasklet_setup(&t->tasklet, lkdtm_tasklet);
	local_bh_disable();
	cpu = smp_processor_id();
	tasklet_schedule(&t->tasklet);
	tasklet_schedule(&t->tasklet);
	WARN_ON(t->runs);
	local_bh_enable();
	tasklet_kill(&t->tasklet);
	WARN_ON(t->runs != 1 || t->cpu != cpu || !t->in_softirq);

	tasklet_disable(&t->tasklet);
	tasklet_hi_schedule(&t->tasklet);
	msleep(3);
	WARN_ON(t->runs != 1);
	tasklet_enable(&t->tasklet);
	tasklet_kill(&t->tasklet);
	WARN_ON(t->runs != 2);

	t->again = TASKLET_ROUNDS;
	tasklet_schedule(&t->tasklet);
	while (READ_ONCE(t->again))
		msleep(1);
	tasklet_kill(&t->tasklet);
	WARN_ON(t->runs != 3 + TASKLET_ROUNDS);
	kfree(t);
}

/* What is forbidden, and reported. */
void lkdtm_SLEEP_IN_ATOMIC(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

#define RCU_READERS	4
#define RCU_UPDATES	12

/* Not freed before the end: a freed one could soon look new again. */
struct test_object {
	struct rcu_head rcu;
	unsigned long dead;
};

static struct test_object *shared;
static atomic_t callbacks;

static void lkdtm_rcu_callback(struct rcu_head *head)
{
	struct test_object *object = container_of(head, struct test_object, rcu);

	WRITE_ONCE(object->dead, 1);
	atomic_inc(&callbacks);
}

/* Stays a reader for longer than a tick, and is preempted meanwhile. */
static void lkdtm_rcu_read(void)
{
	struct test_object *object;
	unsigned long end;

	rcu_read_lock();
	object = rcu_dereference(shared);
	end = jiffies + 3;
	while (time_before(jiffies, end)) {
		WARN_ON(READ_ONCE(object->dead));
		cpu_relax();
	}
	rcu_read_lock();
	WARN_ON(READ_ONCE(object->dead));
	rcu_read_unlock();
	WARN_ON(READ_ONCE(object->dead));
	rcu_read_unlock();
}

static int lkdtm_rcu_reader(void *unused)
{
	while (!kthread_should_stop())
		lkdtm_rcu_read();
	return 0;
}

/* Each in a way of its own. */
static void lkdtm_rcu_replace(struct test_object *new, unsigned int way)
{
	struct test_object *old = xchg(&shared, new);

	switch (way % 3) {
	case 0:
		call_rcu(&old->rcu, lkdtm_rcu_callback);
		break;
	case 1:
		synchronize_rcu();
		lkdtm_rcu_callback(&old->rcu);
		break;
	case 2:
		synchronize_rcu_expedited();
		lkdtm_rcu_callback(&old->rcu);
		break;
	}
}

/* Objects replaced under the eyes of more readers than there may be CPUs. */
void lkdtm_RCU(void)
{
	struct task_struct *readers[RCU_READERS];
	struct test_object *objects, *lone;
	unsigned int i;

	objects = kcalloc(RCU_UPDATES + 1, sizeof(*objects), GFP_KERNEL);
	lone = kzalloc(sizeof(*lone), GFP_KERNEL);
	if (WARN_ON(!objects || !lone))
		return;
	kfree_rcu(lone, rcu);
	atomic_set(&callbacks, 0);
	shared = &objects[0];
	for (i = 0; i < RCU_READERS; i++)
		readers[i] = kthread_run(lkdtm_rcu_reader, NULL,
					 "lkdtm_rcu/%u", i);
	for (i = 0; i < RCU_UPDATES; i++) {
		msleep(1);
		lkdtm_rcu_replace(&objects[i + 1], i);
	}
	for (i = 0; i < RCU_READERS; i++)
		kthread_stop(readers[i]);
	rcu_barrier();
	WARN_ON(atomic_read(&callbacks) != RCU_UPDATES);
	kfree(objects);
}
