/* SPDX-License-Identifier: GPL-2.0-only */
/* Queueing work, at once or after a time. */
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/workqueue.h>

void insert_work(struct pool_workqueue *pwq, struct work_struct *work,
		 struct list_head *head, unsigned long extra_flags)
{
	struct worker_pool *pool = pwq->pool;

	set_work_data(work, (unsigned long)pwq, WORK_STRUCT_PENDING |
		      WORK_STRUCT_PWQ | extra_flags);
	list_add_tail(&work->entry, head);
	if (!pool->nr_running)
		wake_up_worker(pool);
}

/*
 * With interrupts off; returns the pool to queue in, locked. A work that still
 * runs in another one stays there, or it would run twice at a time.
 */
static struct pool_workqueue *lock_pwq(int cpu, struct workqueue_struct *wq,
				       struct work_struct *work)
{
	struct worker_pool *last_pool = get_work_pool(work);
	struct pool_workqueue *pwq;
	struct worker *worker;

	if (wq->dfl_pwq)
		pwq = wq->dfl_pwq;
	else if (cpu == WORK_CPU_UNBOUND)
		pwq = wq->cpu_pwqs[raw_smp_processor_id()];
	else
		pwq = wq->cpu_pwqs[cpu];
	if (last_pool && last_pool != pwq->pool) {
		raw_spin_lock(&last_pool->lock);
		worker = find_worker_executing_work(last_pool, work);
		if (worker && worker->current_pwq->wq == wq)
			return worker->current_pwq;
		raw_spin_unlock(&last_pool->lock);
	}
	raw_spin_lock(&pwq->pool->lock);
	return pwq;
}

/*
 * With interrupts off and no pool locked, by whoever has set the work's PENDING
 * bit.
 */
void __queue_work(int cpu, struct workqueue_struct *wq,
		  struct work_struct *work)
{
	struct pool_workqueue *pwq;
	struct list_head *worklist;
	unsigned long flags = 0;

	rcu_read_lock();
	pwq = lock_pwq(cpu, wq, work);
	trace_workqueue_queue_work(cpu, pwq, work);
	if (WARN_ON_ONCE(!list_empty(&work->entry)))
		goto out;
	pwq->nr_in_flight[pwq->work_color]++;
	if (pwq->work_color)
		flags |= WORK_STRUCT_COLOR;
	if (pwq->nr_active < wq->max_active) {
		trace_workqueue_activate_work(work);
		pwq->nr_active++;
		worklist = &pwq->pool->worklist;
	} else {
		flags |= WORK_STRUCT_INACTIVE;
		worklist = &pwq->inactive_works;
	}
	insert_work(pwq, work, worklist, flags);
out:
	raw_spin_unlock(&pwq->pool->lock);
	rcu_read_unlock();
}

bool queue_work_on(int cpu, struct workqueue_struct *wq,
		   struct work_struct *work)
{
	unsigned long flags;
	bool ret = false;

	local_irq_save(flags);
	if (!test_and_set_bit(WORK_STRUCT_PENDING_BIT, &work->data)) {
		__queue_work(cpu, wq, work);
		ret = true;
	}
	local_irq_restore(flags);
	return ret;
}

/* With interrupts off: it is a timer that allows that. */
void delayed_work_timer_fn(struct timer_list *t)
{
	struct delayed_work *dwork = from_timer(dwork, t, timer);

	__queue_work(dwork->cpu, dwork->wq, &dwork->work);
}

static void __queue_delayed_work(int cpu, struct workqueue_struct *wq,
				 struct delayed_work *dwork,
				 unsigned long delay)
{
	struct timer_list *timer = &dwork->timer;

	if (!delay) {
		__queue_work(cpu, wq, &dwork->work);
		return;
	}
	dwork->wq = wq;
	dwork->cpu = cpu;
	timer->expires = jiffies + delay;
	if (cpu != WORK_CPU_UNBOUND)
		add_timer_on(timer, cpu);
	else
		add_timer(timer);
}

bool queue_delayed_work_on(int cpu, struct workqueue_struct *wq,
			   struct delayed_work *dwork, unsigned long delay)
{
	struct work_struct *work = &dwork->work;
	unsigned long flags;
	bool ret = false;

	local_irq_save(flags);
	if (!test_and_set_bit(WORK_STRUCT_PENDING_BIT, &work->data)) {
		__queue_delayed_work(cpu, wq, dwork, delay);
		ret = true;
	}
	local_irq_restore(flags);
	return ret;
}

/*
 * Takes a work back: it stays PENDING, but in nobody's list. Returns 1 if it
 * was queued, 0 if not, -EAGAIN if it is between two places, and -ENOENT if
 * somebody else is cancelling it. But for the last two, interrupts stay off.
 */
static int try_to_grab_pending(struct work_struct *work, bool is_dwork,
			       unsigned long *flags)
{
	struct worker_pool *pool;
	struct pool_workqueue *pwq;
	unsigned long data;

	local_irq_save(*flags);
	if (is_dwork && timer_delete(&to_delayed_work(work)->timer))
		return 1;
	if (!test_and_set_bit(WORK_STRUCT_PENDING_BIT, &work->data))
		return 0;
	pool = get_work_pool(work);
	if (!pool)
		goto fail;
	raw_spin_lock(&pool->lock);
	pwq = get_work_pwq(work);
	if (pwq && pwq->pool == pool) {
		if (work->data & WORK_STRUCT_INACTIVE)
			pwq_activate_inactive_work(work);
		data = work->data;
		list_del_init(&work->entry);
		set_work_pool(work, pool->id, WORK_STRUCT_PENDING);
		pwq_dec_nr_in_flight(pwq, data);
		raw_spin_unlock(&pool->lock);
		return 1;
	}
	raw_spin_unlock(&pool->lock);
fail:
	local_irq_restore(*flags);
	data = READ_ONCE(work->data);
	if (!(data & WORK_STRUCT_PWQ) && data & WORK_OFFQ_CANCELING)
		return -ENOENT;
	cpu_relax();
	return -EAGAIN;
}

bool mod_delayed_work_on(int cpu, struct workqueue_struct *wq,
			 struct delayed_work *dwork, unsigned long delay)
{
	unsigned long flags;
	int ret;

	do {
		ret = try_to_grab_pending(&dwork->work, true, &flags);
	} while (ret == -EAGAIN);
	if (ret >= 0) {
		__queue_delayed_work(cpu, wq, dwork, delay);
		local_irq_restore(flags);
	}
	/* Being cancelled counts as queued. */
	return ret != 0;
}

/* Where it ran last, so that who queues it next finds it if it still does. */
static unsigned long work_pool_id(struct work_struct *work)
{
	struct worker_pool *pool = get_work_pool(work);

	return pool ? (unsigned long)pool->id :
		      WORK_STRUCT_NO_POOL >> WORK_STRUCT_FLAG_BITS;
}

/*
 * Sleeps until the work is neither queued nor running. While it is marked so,
 * nobody else can queue it: it stays PENDING.
 */
static bool __cancel_work_timer(struct work_struct *work, bool is_dwork)
{
	unsigned long flags;
	int ret;

	do {
		ret = try_to_grab_pending(work, is_dwork, &flags);
		if (ret == -ENOENT)
			schedule_timeout_uninterruptible(1);
	} while (ret < 0);
	set_work_pool(work, work_pool_id(work),
		      WORK_STRUCT_PENDING | WORK_OFFQ_CANCELING);
	local_irq_restore(flags);
	flush_work(work);
	set_work_data(work, WORK_STRUCT_NO_POOL, 0);
	return ret;
}

bool cancel_work_sync(struct work_struct *work)
{
	return __cancel_work_timer(work, false);
}

bool cancel_delayed_work_sync(struct delayed_work *dwork)
{
	return __cancel_work_timer(&dwork->work, true);
}
