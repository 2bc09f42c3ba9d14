/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for work to be done. */
#include <linux/kernel.h>
#include "internal.h"

/* A work of the waiter's own, right behind the one that it waits for. */
struct wq_barrier {
	struct work_struct work;
	struct completion done;
};

static void wq_barrier_func(struct work_struct *work)
{
	struct wq_barrier *barr = container_of(work, struct wq_barrier, work);

	complete(&barr->done);
}

/* With the pool locked. @worker: who runs @target already, or NULL. */
static void insert_wq_barrier(struct pool_workqueue *pwq,
			      struct wq_barrier *barr,
			      struct work_struct *target,
			      struct worker *worker)
{
	unsigned long flags = WORK_STRUCT_BARRIER;
	struct list_head *head;

	INIT_WORK_ONSTACK(&barr->work, wq_barrier_func);
	init_completion(&barr->done);
	if (worker) {
		head = worker->scheduled.next;
	} else {
		head = target->entry.next;
		flags |= target->data & WORK_STRUCT_LINKED;
		set_work_data(target, target->data, WORK_STRUCT_LINKED);
	}
	insert_work(pwq, &barr->work, head, flags);
}

/*
 * Takes the pool's lock. True: @barr->done is completed when the work has run.
 */
static bool start_flush_work(struct work_struct *work, struct wq_barrier *barr)
{
	struct worker *worker = NULL;
	struct pool_workqueue *pwq;
	struct worker_pool *pool;

	pool = get_work_pool(work);
	if (!pool)
		return false;
	raw_spin_lock_irq(&pool->lock);
	pwq = get_work_pwq(work);
	if (!pwq) {
		worker = find_worker_executing_work(pool, work);
		if (worker)
			pwq = worker->current_pwq;
	}
	if (!pwq || pwq->pool != pool) {
		raw_spin_unlock_irq(&pool->lock);
		return false;
	}
	insert_wq_barrier(pwq, barr, work, worker);
	raw_spin_unlock_irq(&pool->lock);
	return true;
}

static bool __flush_work(struct work_struct *work)
{
	struct wq_barrier barr;

	if (!start_flush_work(work, &barr))
		return false;
	wait_for_completion(&barr.done);
	return true;
}

/*
 * Sleeps until the work has run, if it is queued or running; not from the work
 * itself.
 */
bool flush_work(struct work_struct *work)
{
	return __flush_work(work);
}

/* What waits for its time is queued now. */
bool flush_delayed_work(struct delayed_work *dwork)
{
	local_irq_disable();
	if (timer_delete(&dwork->timer))
		__queue_work(dwork->cpu, dwork->wq, &dwork->work);
	local_irq_enable();
	return flush_work(&dwork->work);
}

/*
 * Gives works that are queued from now on the other colour, and waits until no
 * work of the old colour is left. So the next flush can use the old colour.
 */
void flush_workqueue(struct workqueue_struct *wq)
{
	struct pool_workqueue *pwq;
	unsigned int i;
	int old;

	mutex_lock(&wq->mutex);
	init_completion(&wq->flush_done);
	atomic_set(&wq->nr_pwqs_to_flush, 1);
	for_each_pwq(i, pwq, wq) {
		raw_spin_lock_irq(&pwq->pool->lock);
		old = pwq->work_color;
		pwq->work_color = !old;
		if (pwq->nr_in_flight[old])
			atomic_inc(&wq->nr_pwqs_to_flush);
		raw_spin_unlock_irq(&pwq->pool->lock);
	}
	if (atomic_dec_and_test(&wq->nr_pwqs_to_flush))
		complete(&wq->flush_done);
	wait_for_completion(&wq->flush_done);
	mutex_unlock(&wq->mutex);
}

static bool workqueue_is_empty(struct workqueue_struct *wq)
{
	struct pool_workqueue *pwq;
	bool empty = true;
	unsigned int i;

	for_each_pwq(i, pwq, wq) {
		raw_spin_lock_irq(&pwq->pool->lock);
		if (pwq->nr_active || !list_empty(&pwq->inactive_works))
			empty = false;
		raw_spin_unlock_irq(&pwq->pool->lock);
	}
	return empty;
}

/* Works may queue more works, but must come to an end. */
void drain_workqueue(struct workqueue_struct *wq)
{
	do {
		flush_workqueue(wq);
	} while (!workqueue_is_empty(wq));
}
