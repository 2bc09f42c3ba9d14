/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that run later in a kernel thread, where they may sleep. Each CPU
 * has a pool of workers, of which one runs at a time unless it sleeps; work
 * that is bound to no CPU has a pool of its own.
 */
#ifndef _LINUX_WORKQUEUE_H
#define _LINUX_WORKQUEUE_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/threads.h>
#include <linux/timer.h>

struct workqueue_struct;
struct task_struct;
struct work_struct;

typedef void (*work_func_t)(struct work_struct *work);

/*
 * work_struct.data: while queued (PWQ set) the address of the queue's part in
 * a pool and these bits, else the number of the pool it ran in last.
 */
#define WORK_STRUCT_PENDING_BIT	0	/* from queueing until it starts */
#define WORK_STRUCT_PENDING	0x01UL
#define WORK_STRUCT_INACTIVE	0x02UL	/* waits: max_active works are active */
#define WORK_STRUCT_PWQ		0x04UL
#define WORK_STRUCT_LINKED	0x08UL	/* moves together with the next work */
#define WORK_STRUCT_COLOR	0x10UL	/* its colour: see flush_workqueue() */
#define WORK_STRUCT_BARRIER	0x20UL	/* tells that the work before has run */
#define WORK_OFFQ_CANCELING	0x40UL	/* only while not queued */
#define WORK_STRUCT_FLAG_BITS	8
#define WORK_STRUCT_NO_POOL	(~0UL << WORK_STRUCT_FLAG_BITS)

struct work_struct {
	unsigned long data;
	struct list_head entry;
	work_func_t func;
};

struct delayed_work {
	struct work_struct work;
	struct timer_list timer;
	struct workqueue_struct *wq;	/* where it goes then, ... */
	int cpu;			/* ... and to which CPU */
};

#define WORK_CPU_UNBOUND	NR_CPUS	/* the CPU that queues it */

#define __WORK_INITIALIZER(n, f) {					\
	.data = WORK_STRUCT_NO_POOL,					\
	.entry = LIST_HEAD_INIT((n).entry),				\
	.func = (f) }
#define __DELAYED_WORK_INITIALIZER(n, f, tflags) {			\
	.work = __WORK_INITIALIZER((n).work, f),			\
	.timer = __TIMER_INITIALIZER(delayed_work_timer_fn,		\
				     (tflags) | TIMER_IRQSAFE) }
#define DECLARE_WORK(n, f)	struct work_struct n = __WORK_INITIALIZER(n, f)
#define DECLARE_DELAYED_WORK(n, f) \
	struct delayed_work n = __DELAYED_WORK_INITIALIZER(n, f, 0)
#define DECLARE_DEFERRABLE_WORK(n, f) \
	struct delayed_work n =						\
		__DELAYED_WORK_INITIALIZER(n, f, TIMER_DEFERRABLE)

#define INIT_WORK(w, f)							\
	do {								\
		(w)->data = WORK_STRUCT_NO_POOL;			\
		INIT_LIST_HEAD(&(w)->entry);				\
		(w)->func = (f);					\
	} while (0)
#define INIT_WORK_ONSTACK(w, f)		INIT_WORK(w, f)
#define __INIT_DELAYED_WORK(w, f, tflags)				\
	do {								\
		INIT_WORK(&(w)->work, f);				\
		timer_setup(&(w)->timer, delayed_work_timer_fn,		\
			    (tflags) | TIMER_IRQSAFE);			\
	} while (0)
#define INIT_DELAYED_WORK(w, f)		__INIT_DELAYED_WORK(w, f, 0)
#define INIT_DEFERRABLE_WORK(w, f) \
	__INIT_DELAYED_WORK(w, f, TIMER_DEFERRABLE)

#define work_pending(w)		test_bit(WORK_STRUCT_PENDING_BIT, &(w)->data)

static inline struct delayed_work *to_delayed_work(struct work_struct *work)
{
	return container_of(work, struct delayed_work, work);
}

#define WQ_UNBOUND		0x02	/* to no CPU */
#define WQ_FREEZABLE		0x04
#define WQ_MEM_RECLAIM		0x08	/* memory may depend on it */
#define WQ_HIGHPRI		0x10
#define WQ_CPU_INTENSIVE	0x20	/* others need not wait for it */
#define WQ_POWER_EFFICIENT	0x80
#define __WQ_ORDERED		0x20000	/* one at a time, in order */

#define WQ_MAX_ACTIVE		512
#define WQ_DFL_ACTIVE		(WQ_MAX_ACTIVE / 2)

extern struct workqueue_struct *system_wq;	/* "events" */
extern struct workqueue_struct *system_highpri_wq;
extern struct workqueue_struct *system_long_wq;
extern struct workqueue_struct *system_unbound_wq;
extern struct workqueue_struct *system_freezable_wq;
extern struct workqueue_struct *system_power_efficient_wq;

/* @max_active: how many may run at a time, on each CPU; 0 for the default. */
struct workqueue_struct *alloc_workqueue(const char *fmt, unsigned int flags,
					 int max_active, ...)
	__printf(1, 4);
#define alloc_ordered_workqueue(fmt, flags, ...)			\
	alloc_workqueue(fmt, WQ_UNBOUND | __WQ_ORDERED | (flags), 1,	\
			##__VA_ARGS__)
void destroy_workqueue(struct workqueue_struct *wq);

/* These return false if it was queued already. */
bool queue_work_on(int cpu, struct workqueue_struct *wq,
		   struct work_struct *work);
bool queue_delayed_work_on(int cpu, struct workqueue_struct *wq,
			   struct delayed_work *dwork, unsigned long delay);
/* Whether or not it was queued, it will run @delay from now: returns which. */
bool mod_delayed_work_on(int cpu, struct workqueue_struct *wq,
			 struct delayed_work *dwork, unsigned long delay);
void delayed_work_timer_fn(struct timer_list *t);

/* Waits until all that was queued so far has run; until nothing is left. */
void flush_workqueue(struct workqueue_struct *wq);
void drain_workqueue(struct workqueue_struct *wq);

/* Waits until it has run; false if it was idle. */
bool flush_work(struct work_struct *work);
bool flush_delayed_work(struct delayed_work *dwork);
/* Returns whether it was queued; waits if it is running. */
bool cancel_work_sync(struct work_struct *work);
bool cancel_delayed_work_sync(struct delayed_work *dwork);

static inline bool queue_work(struct workqueue_struct *wq,
			      struct work_struct *work)
{
	return queue_work_on(WORK_CPU_UNBOUND, wq, work);
}

static inline bool queue_delayed_work(struct workqueue_struct *wq,
				      struct delayed_work *dwork,
				      unsigned long delay)
{
	return queue_delayed_work_on(WORK_CPU_UNBOUND, wq, dwork, delay);
}

static inline bool mod_delayed_work(struct workqueue_struct *wq,
				    struct delayed_work *dwork,
				    unsigned long delay)
{
	return mod_delayed_work_on(WORK_CPU_UNBOUND, wq, dwork, delay);
}

static inline bool schedule_work(struct work_struct *work)
{
	return queue_work(system_wq, work);
}

static inline bool schedule_delayed_work(struct delayed_work *dwork,
					 unsigned long delay)
{
	return queue_delayed_work(system_wq, dwork, delay);
}

/* Boot: before anything can be queued; when threads can be made. */
void workqueue_init_early(void);

/* The scheduler's: a worker goes to sleep, and goes on. */
void wq_worker_sleeping(struct task_struct *task);
void wq_worker_running(struct task_struct *task);

#endif
