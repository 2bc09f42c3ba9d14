/* SPDX-License-Identifier: GPL-2.0-only */
/* Pools, workers and queues, for the workqueues' own files. */
#ifndef _KERNEL_WORKQUEUE_INTERNAL_H
#define _KERNEL_WORKQUEUE_INTERNAL_H

#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#define WQ_NAME_LEN		24
#define HIGHPRI_NICE_LEVEL	-20
#define NR_STD_WORKER_POOLS	2	/* of normal and of high priority */
#define MAX_POOL_WORKERS	1024	/* numbers in a pool */

/* worker->flags */
#define WORKER_DIE		0x02
#define WORKER_IDLE		0x04
#define WORKER_PREP		0x08	/* between works */
#define WORKER_CPU_INTENSIVE	0x40
#define WORKER_UNBOUND		0x80
/* With any of these it does not count as running. */
#define WORKER_NOT_RUNNING \
	(WORKER_PREP | WORKER_CPU_INTENSIVE | WORKER_UNBOUND)

struct worker_pool {
	raw_spinlock_t lock;		/* also of its workers and queues */
	int cpu;			/* -1: none */
	int id;
	int nice;
	struct list_head worklist;
	int nr_workers;
	int nr_idle;
	int nr_running;			/* of those that count */
	bool managed;			/* a worker is making another one */
	struct list_head idle_list;	/* last to idle first */
	struct list_head busy_list;
	struct timer_list idle_timer;
	DECLARE_BITMAP(worker_ids, MAX_POOL_WORKERS);
};

struct worker {
	struct list_head entry;		/* in idle_list or busy_list */
	struct work_struct *current_work;
	work_func_t current_func;
	struct pool_workqueue *current_pwq;
	struct list_head scheduled;	/* what it must do itself, next */
	struct task_struct *task;
	struct worker_pool *pool;
	unsigned long last_active;
	unsigned int flags;
	int id;
	int sleeping;
	char desc[WQ_NAME_LEN];		/* of the queue it works for */
};

/* A queue's part in a pool. Aligned: the address leaves room for flags. */
struct pool_workqueue {
	struct worker_pool *pool;
	struct workqueue_struct *wq;
	int work_color;			/* of what is queued now */
	int nr_in_flight[2];		/* by colour */
	int nr_active;
	struct list_head inactive_works;
} __aligned(1 << WORK_STRUCT_FLAG_BITS);

struct workqueue_struct {
	char name[WQ_NAME_LEN];
	unsigned int flags;
	int max_active;
	struct pool_workqueue **cpu_pwqs;	/* one per CPU, or ... */
	struct pool_workqueue *dfl_pwq;		/* ... the only one */
	struct mutex mutex;			/* one flush at a time */
	atomic_t nr_pwqs_to_flush;
	struct completion flush_done;
	struct list_head list;
};

/* All pools by their numbers. */
#define MAX_POOLS	((NR_CPUS + 1) * NR_STD_WORKER_POOLS)
extern struct worker_pool *worker_pools[MAX_POOLS];
extern struct worker_pool unbound_std_pools[NR_STD_WORKER_POOLS];
DECLARE_PER_CPU(struct worker_pool[NR_STD_WORKER_POOLS], cpu_worker_pools);

#define for_each_pwq(i, pwq, wq)					\
	for (i = 0; (pwq = nth_pwq(wq, i)) != NULL; i++)

/* The queue's part in the @i-th of its pools; NULL after the last. */
static inline struct pool_workqueue *nth_pwq(struct workqueue_struct *wq,
					     unsigned int i)
{
	if (wq->dfl_pwq)
		return i ? NULL : wq->dfl_pwq;
	return i < nr_cpu_ids ? wq->cpu_pwqs[i] : NULL;
}

static inline struct pool_workqueue *work_struct_pwq(unsigned long data)
{
	return (void *)(data & ~((1UL << WORK_STRUCT_FLAG_BITS) - 1));
}

static inline struct pool_workqueue *get_work_pwq(struct work_struct *work)
{
	unsigned long data = READ_ONCE(work->data);

	return data & WORK_STRUCT_PWQ ? work_struct_pwq(data) : NULL;
}

/* Without a lock: what is read a second time may be something else. */
static inline struct worker_pool *get_work_pool(struct work_struct *work)
{
	unsigned long data = READ_ONCE(work->data);

	if (data & WORK_STRUCT_PWQ)
		return work_struct_pwq(data)->pool;
	data >>= WORK_STRUCT_FLAG_BITS;
	return data < MAX_POOLS ? worker_pools[data] : NULL;
}

static inline void set_work_data(struct work_struct *work, unsigned long data,
				 unsigned long flags)
{
	WRITE_ONCE(work->data, data | flags);
}

/* Not queued any more, or not yet: only the pool it ran in is known. */
static inline void set_work_pool(struct work_struct *work, int pool_id,
				 unsigned long flags)
{
	smp_store_release(&work->data,
			  (unsigned long)pool_id << WORK_STRUCT_FLAG_BITS |
			  flags);
}

/* With the pool locked: */
struct worker *find_worker_executing_work(struct worker_pool *pool,
					  struct work_struct *work);
void wake_up_worker(struct worker_pool *pool);
void insert_work(struct pool_workqueue *pwq, struct work_struct *work,
		 struct list_head *head, unsigned long extra_flags);
void move_linked_works(struct work_struct *work, struct list_head *head,
		       struct work_struct **nextp);
void pwq_activate_inactive_work(struct work_struct *work);
void pwq_dec_nr_in_flight(struct pool_workqueue *pwq, unsigned long work_data);

void __queue_work(int cpu, struct workqueue_struct *wq,
		  struct work_struct *work);
int worker_thread(void *__worker);
struct worker *create_worker(struct worker_pool *pool);
void idle_worker_timeout(struct timer_list *t);

#endif
