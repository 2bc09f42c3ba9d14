/* SPDX-License-Identifier: GPL-2.0-only */
/* Workers: threads that take works off their pool's list. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <trace/events/workqueue.h>
#include "internal.h"

#define IDLE_WORKER_TIMEOUT	(300 * HZ)
#define MAX_IDLE_WORKERS_RATIO	4	/* a quarter of the busy ones may idle */
#define CREATE_COOLDOWN		HZ

/* There is work, and nobody is running who would take it. */
static inline bool need_more_worker(struct worker_pool *pool)
{
	return !list_empty(&pool->worklist) && !pool->nr_running;
}

static inline bool keep_working(struct worker_pool *pool)
{
	return !list_empty(&pool->worklist) && pool->nr_running <= 1;
}

static inline bool too_many_workers(struct worker_pool *pool)
{
	int nr_busy = pool->nr_workers - pool->nr_idle;

	return pool->nr_idle > 2 &&
	       (pool->nr_idle - 2) * MAX_IDLE_WORKERS_RATIO >= nr_busy;
}

/* With the pool locked. */
void wake_up_worker(struct worker_pool *pool)
{
	struct worker *worker;

	worker = list_first_entry_or_null(&pool->idle_list, struct worker,
					  entry);
	if (worker)
		wake_up_process(worker->task);
}

/*
 * By the worker, after it has slept, with the pool not locked: its CPU alone
 * changes nr_running.
 */
void wq_worker_running(struct task_struct *task)
{
	struct worker *worker = kthread_data(task);

	if (!READ_ONCE(worker->sleeping))
		return;
	preempt_disable();
	if (!(worker->flags & WORKER_NOT_RUNNING))
		worker->pool->nr_running++;
	preempt_enable();
	WRITE_ONCE(worker->sleeping, 0);
}

/*
 * By the worker in schedule(), with interrupts and preemption on; takes the
 * pool's lock.
 */
void wq_worker_sleeping(struct task_struct *task)
{
	struct worker *worker = kthread_data(task);
	struct worker_pool *pool = worker->pool;

	if (worker->flags & WORKER_NOT_RUNNING || READ_ONCE(worker->sleeping))
		return;
	WRITE_ONCE(worker->sleeping, 1);
	raw_spin_lock_irq(&pool->lock);
	pool->nr_running--;
	if (need_more_worker(pool))
		wake_up_worker(pool);
	raw_spin_unlock_irq(&pool->lock);
}

static void worker_set_flags(struct worker *worker, unsigned int flags)
{
	if (flags & WORKER_NOT_RUNNING &&
	    !(worker->flags & WORKER_NOT_RUNNING))
		worker->pool->nr_running--;
	worker->flags |= flags;
}

static void worker_clr_flags(struct worker *worker, unsigned int flags)
{
	unsigned int oflags = worker->flags;

	worker->flags &= ~flags;
	if (flags & WORKER_NOT_RUNNING && oflags & WORKER_NOT_RUNNING &&
	    !(worker->flags & WORKER_NOT_RUNNING))
		worker->pool->nr_running++;
}

struct worker *find_worker_executing_work(struct worker_pool *pool,
					  struct work_struct *work)
{
	struct worker *worker;

	list_for_each_entry(worker, &pool->busy_list, entry)
		if (worker->current_work == work &&
		    worker->current_func == work->func)
			return worker;
	return NULL;
}

/* @work and what is linked behind it. *@nextp: the one after those. */
void move_linked_works(struct work_struct *work, struct list_head *head,
		       struct work_struct **nextp)
{
	struct work_struct *next;
	bool linked;

	do {
		next = list_next_entry(work, entry);
		linked = work->data & WORK_STRUCT_LINKED;
		list_move_tail(&work->entry, head);
		work = next;
	} while (linked);
	if (nextp)
		*nextp = next;
}

void pwq_activate_inactive_work(struct work_struct *work)
{
	struct pool_workqueue *pwq = get_work_pwq(work);

	trace_workqueue_activate_work(work);
	move_linked_works(work, &pwq->pool->worklist, NULL);
	WRITE_ONCE(work->data, work->data & ~WORK_STRUCT_INACTIVE);
	pwq->nr_active++;
	if (!pwq->pool->nr_running)
		wake_up_worker(pwq->pool);
}

/* A work has run, or has been taken back: room for one that waits. */
void pwq_dec_nr_in_flight(struct pool_workqueue *pwq, unsigned long work_data)
{
	int color = !!(work_data & WORK_STRUCT_COLOR);
	struct workqueue_struct *wq = pwq->wq;

	if (work_data & WORK_STRUCT_BARRIER)
		return;
	pwq->nr_active--;
	if (!list_empty(&pwq->inactive_works) &&
	    pwq->nr_active < wq->max_active)
		pwq_activate_inactive_work(list_first_entry(
				&pwq->inactive_works, struct work_struct,
				entry));
	/* The last of its colour, and somebody waits for that. */
	if (!--pwq->nr_in_flight[color] && color != pwq->work_color &&
	    atomic_dec_and_test(&wq->nr_pwqs_to_flush))
		complete(&wq->flush_done);
}

/* With the pool locked. */
static void worker_enter_idle(struct worker *worker)
{
	struct worker_pool *pool = worker->pool;

	worker->flags |= WORKER_IDLE;
	pool->nr_idle++;
	worker->last_active = jiffies;
	list_add(&worker->entry, &pool->idle_list);
	if (too_many_workers(pool) && !timer_pending(&pool->idle_timer))
		mod_timer(&pool->idle_timer, jiffies + IDLE_WORKER_TIMEOUT);
}

static void worker_leave_idle(struct worker *worker)
{
	worker->flags &= ~WORKER_IDLE;
	worker->pool->nr_idle--;
	list_del_init(&worker->entry);
}

/* Its name says which CPU's or which unbound pool's it is. */
static struct task_struct *create_worker_thread(struct worker *worker)
{
	struct worker_pool *pool = worker->pool;
	struct task_struct *p;

	if (pool->cpu < 0)
		return kthread_create(worker_thread, worker, "kworker/u%d:%d%s",
				      pool->id, worker->id,
				      pool->nice < 0 ? "H" : "");
	p = kthread_create(worker_thread, worker, "kworker/%d:%d%s", pool->cpu,
			   worker->id, pool->nice < 0 ? "H" : "");
	if (!IS_ERR(p))
		kthread_bind(p, pool->cpu);
	return p;
}

/* Called without the pool's lock; may sleep. NULL if there is no memory. */
struct worker *create_worker(struct worker_pool *pool)
{
	struct worker *worker = kzalloc(sizeof(*worker), GFP_KERNEL);
	struct task_struct *p;

	if (!worker)
		return NULL;
	INIT_LIST_HEAD(&worker->entry);
	INIT_LIST_HEAD(&worker->scheduled);
	worker->pool = pool;
	worker->flags = WORKER_PREP | (pool->cpu < 0 ? WORKER_UNBOUND : 0);
	raw_spin_lock_irq(&pool->lock);
	worker->id = find_next_zero_bit(pool->worker_ids, MAX_POOL_WORKERS, 0);
	if (worker->id < MAX_POOL_WORKERS)
		__set_bit(worker->id, pool->worker_ids);
	raw_spin_unlock_irq(&pool->lock);
	if (worker->id == MAX_POOL_WORKERS)
		goto fail;
	p = create_worker_thread(worker);
	if (IS_ERR(p))
		goto fail_id;
	worker->task = p;
	set_user_nice(p, pool->nice);
	p->flags |= PF_WQ_WORKER;
	raw_spin_lock_irq(&pool->lock);
	pool->nr_workers++;
	worker_enter_idle(worker);
	wake_up_process(p);
	raw_spin_unlock_irq(&pool->lock);
	return worker;

fail_id:
	raw_spin_lock_irq(&pool->lock);
	__clear_bit(worker->id, pool->worker_ids);
	raw_spin_unlock_irq(&pool->lock);
fail:
	kfree(worker);
	return NULL;
}

/*
 * For a worker that is told to end, off all lists; it frees itself. With the
 * pool locked.
 */
static void destroy_worker(struct worker *worker)
{
	struct worker_pool *pool = worker->pool;

	pool->nr_workers--;
	pool->nr_idle--;
	list_del_init(&worker->entry);
	worker->flags |= WORKER_DIE;
	wake_up_process(worker->task);
}

/* Those that have idled longest are the last ones in the list. */
void idle_worker_timeout(struct timer_list *t)
{
	struct worker_pool *pool = from_timer(pool, t, idle_timer);
	struct worker *worker;
	unsigned long expires;

	raw_spin_lock_irq(&pool->lock);
	while (too_many_workers(pool)) {
		worker = list_last_entry(&pool->idle_list, struct worker,
					 entry);
		expires = worker->last_active + IDLE_WORKER_TIMEOUT;
		if (time_before(jiffies, expires)) {
			mod_timer(&pool->idle_timer, expires);
			break;
		}
		destroy_worker(worker);
	}
	raw_spin_unlock_irq(&pool->lock);
}

/*
 * Before the last idle worker starts to work there has to be another one, so
 * that somebody can go on when it sleeps. Called with the pool locked; true:
 * the lock was let go and taken again.
 */
static bool manage_workers(struct worker *worker)
{
	struct worker_pool *pool = worker->pool;

	if (pool->managed)
		return false;
	pool->managed = true;
	while (!pool->nr_idle) {
		raw_spin_unlock_irq(&pool->lock);
		if (!create_worker(pool))
			schedule_timeout_interruptible(CREATE_COOLDOWN);
		raw_spin_lock_irq(&pool->lock);
		if (!need_more_worker(pool))
			break;
	}
	pool->managed = false;
	return true;
}

/*
 * Called by a worker with the pool locked and interrupts off, and returns so;
 * both are released around the work's function, which may sleep, and free the
 * work.
 */
static void process_one_work(struct worker *worker, struct work_struct *work)
{
	struct pool_workqueue *pwq = get_work_pwq(work);
	struct worker_pool *pool = worker->pool;
	unsigned long work_data = work->data;
	struct worker *collision;

	/* It was queued again while it ran: the same worker does it. */
	collision = find_worker_executing_work(pool, work);
	if (unlikely(collision)) {
		move_linked_works(work, &collision->scheduled, NULL);
		return;
	}
	list_add(&worker->entry, &pool->busy_list);
	worker->current_work = work;
	worker->current_func = work->func;
	worker->current_pwq = pwq;
	memcpy(worker->desc, pwq->wq->name, WQ_NAME_LEN);
	list_del_init(&work->entry);
	if (unlikely(pwq->wq->flags & WQ_CPU_INTENSIVE))
		worker_set_flags(worker, WORKER_CPU_INTENSIVE);
	if (need_more_worker(pool))
		wake_up_worker(pool);
	set_work_pool(work, pool->id, 0);
	raw_spin_unlock_irq(&pool->lock);

	/* From here on the work may be queued again, or freed. */
	trace_workqueue_execute_start(work);
	worker->current_func(work);
	trace_workqueue_execute_end(work, worker->current_func);
	if (unlikely(in_atomic() || current->rcu_read_lock_nesting))
		panic("workqueue leaked lock or atomic: %s/0x%08x/%d",
		      current->comm, preempt_count(), current->pid);
	cond_resched();

	raw_spin_lock_irq(&pool->lock);
	worker_clr_flags(worker, WORKER_CPU_INTENSIVE);
	list_del_init(&worker->entry);
	worker->current_work = NULL;
	worker->current_func = NULL;
	worker->current_pwq = NULL;
	pwq_dec_nr_in_flight(pwq, work_data);
}

static void process_scheduled_works(struct worker *worker)
{
	while (!list_empty(&worker->scheduled))
		process_one_work(worker, list_first_entry(&worker->scheduled,
					struct work_struct, entry));
}

/*
 * The end of a worker that was not needed. Called with the pool locked, and
 * unlocks it.
 */
static int worker_end(struct worker *worker)
{
	struct worker_pool *pool = worker->pool;

	__clear_bit(worker->id, pool->worker_ids);
	raw_spin_unlock_irq(&pool->lock);
	current->flags &= ~PF_WQ_WORKER;
	kfree(worker);
	return 0;
}

/*
 * With no lock held. The pool is locked whenever it is looked at, and let go to
 * work and to sleep.
 */
int worker_thread(void *__worker)
{
	struct worker *worker = __worker;
	struct worker_pool *pool = worker->pool;
	struct work_struct *work;

	for (;;) {
		raw_spin_lock_irq(&pool->lock);
		if (unlikely(worker->flags & WORKER_DIE))
			return worker_end(worker);
		worker_leave_idle(worker);
		while (need_more_worker(pool)) {
			if (unlikely(!pool->nr_idle) && manage_workers(worker))
				continue;
			worker_clr_flags(worker, WORKER_PREP);
			do {
				work = list_first_entry(&pool->worklist,
							struct work_struct,
							entry);
				move_linked_works(work, &worker->scheduled,
						  NULL);
				process_scheduled_works(worker);
			} while (keep_working(pool));
			worker_set_flags(worker, WORKER_PREP);
			break;
		}
		worker_enter_idle(worker);
		__set_current_state(TASK_IDLE);
		raw_spin_unlock_irq(&pool->lock);
		schedule();
	}
}
