/* SPDX-License-Identifier: GPL-2.0-only */
/* Run queues and scheduling classes, for the scheduler's own files. */
#ifndef _KERNEL_SCHED_SCHED_H
#define _KERNEL_SCHED_SCHED_H

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/stop_machine.h>

struct softirq_action;

/* Why __schedule() is called: only the first takes sleepers off the queue. */
#define SM_NONE		0
#define SM_PREEMPT	1

#define WF_EXEC		0x02
#define WF_FORK		0x04
#define WF_TTWU		0x08
#define WF_SYNC		0x10	/* the waker is about to sleep */
#define WF_MIGRATED	0x20

#define ENQUEUE_WAKEUP		0x01
#define ENQUEUE_RESTORE		0x02	/* it was only taken off to be changed */
#define ENQUEUE_NOCLOCK		0x08	/* the clock has been updated */
#define ENQUEUE_HEAD		0x10
#define ENQUEUE_REPLENISH	0x20
#define ENQUEUE_MIGRATED	0x40
#define ENQUEUE_INITIAL		0x80
#define DEQUEUE_SLEEP		0x01
#define DEQUEUE_SAVE		0x02
#define DEQUEUE_NOCLOCK		0x08

#define TASK_ON_RQ_QUEUED	1
#define TASK_ON_RQ_MIGRATING	2

#define NICE_0_LOAD		1024
#define WEIGHT_IDLEPRIO		3
#define MIN_NICE		-20
#define MAX_NICE		19
#define MAX_RT_PRIO		100
#define MAX_DL_PRIO		0
#define DEFAULT_PRIO		120
#define NICE_TO_PRIO(nice)	((nice) + DEFAULT_PRIO)
#define PRIO_TO_NICE(prio)	((prio) - DEFAULT_PRIO)

/* What a round robin task has before the next one's turn, in ticks. */
#define RR_TIMESLICE		(100 * HZ / 1000)

/* Of what shares of a CPU are measured in. */
#define BW_SHIFT		20
#define BW_UNIT			(1ULL << BW_SHIFT)
#define RUNTIME_INF		(~0ULL)		/* no limit */

struct cfs_rq {
	struct rb_root_cached tasks_timeline;	/* without curr */
	struct sched_entity *curr;
	unsigned int nr_running;
	unsigned long load;
	u64 min_vruntime;
};

struct rt_rq {
	DECLARE_BITMAP(bitmap, MAX_RT_PRIO + 1);	/* of queues in use */
	struct list_head queue[MAX_RT_PRIO];
	struct list_head pushable_tasks;
	unsigned int rt_nr_running;
	bool rt_queued;			/* counted in rq->nr_running */
	bool overloaded;		/* another CPU might take one */
	bool rt_throttled;
	u64 rt_time;			/* used in this period */
};

struct dl_rq {
	struct rb_root_cached root;
	struct rb_root_cached pushable;
	unsigned int dl_nr_running;
	bool overloaded;
};

struct rq {
	raw_spinlock_t __lock;
	unsigned int nr_running;
	int nr_uninterruptible;		/* see loadavg.c */
	int cpu;
	struct cfs_rq cfs;
	struct rt_rq rt;
	struct dl_rq dl;
	struct task_struct *curr;
	struct task_struct *idle;
	struct task_struct *stop;
	struct mm_struct *prev_mm;	/* to be dropped after the switch */
	u64 clock;
	u64 nr_switches;

	unsigned int balance_callback;	/* BALANCE_: to do before unlocking */
	unsigned long next_balance;	/* in jiffies */
	unsigned int nr_balance_failed;
	struct call_single_data nohz_csd;

	/* To make this CPU give away the task that it runs. */
	bool active_balance;
	int push_cpu;
	struct cpu_stop_work active_balance_work;
};

DECLARE_PER_CPU(struct rq, runqueues);

#define cpu_rq(cpu)		per_cpu_ptr(&runqueues, cpu)
#define this_rq()		this_cpu_ptr(&runqueues)
#define task_rq(p)		cpu_rq(task_cpu(p))
#define cpu_curr(cpu)		(cpu_rq(cpu)->curr)
#define cpu_of(rq)		((rq)->cpu)
#define rq_clock(rq)		((rq)->clock)
#define task_of(entity)		container_of(entity, struct task_struct, se)
#define dl_task_of(dl_se)	container_of(dl_se, struct task_struct, dl)

struct sched_class {
	void (*enqueue_task)(struct rq *rq, struct task_struct *p, int flags);
	void (*dequeue_task)(struct rq *rq, struct task_struct *p, int flags);
	void (*yield_task)(struct rq *rq);
	void (*check_preempt_curr)(struct rq *rq, struct task_struct *p,
				   int flags);
	struct task_struct *(*pick_next_task)(struct rq *rq);
	void (*put_prev_task)(struct rq *rq, struct task_struct *p);
	void (*set_next_task)(struct rq *rq, struct task_struct *p, bool first);
	/* Gets tasks from other CPUs; true if this class has one to run. */
	bool (*balance)(struct rq *rq, struct task_struct *prev);
	int (*select_task_rq)(struct task_struct *p, int prev_cpu, int flags);
	void (*migrate_task_rq)(struct task_struct *p, int new_cpu);
	void (*task_woken)(struct rq *rq, struct task_struct *p);
	void (*set_cpus_allowed)(struct task_struct *p,
				 const struct cpumask *mask);
	void (*task_tick)(struct rq *rq, struct task_struct *p);
	void (*task_fork)(struct task_struct *p);
	void (*task_dead)(struct task_struct *p);
	void (*switched_from)(struct rq *rq, struct task_struct *p);
	void (*switched_to)(struct rq *rq, struct task_struct *p);
	void (*prio_changed)(struct rq *rq, struct task_struct *p, int oldprio);
	unsigned int (*get_rr_interval)(struct rq *rq, struct task_struct *p);
	void (*update_curr)(struct rq *rq);
};

/* Their order in memory is that of their precedence. */
#define DEFINE_SCHED_CLASS(name)					\
	const struct sched_class name##_sched_class			\
	__aligned(__alignof__(struct sched_class))			\
	__section("__" #name "_sched_class")

extern const struct sched_class __begin_sched_classes[], __end_sched_classes[];
extern const struct sched_class stop_sched_class;
extern const struct sched_class dl_sched_class;
extern const struct sched_class rt_sched_class;
extern const struct sched_class fair_sched_class;
extern const struct sched_class idle_sched_class;

#define for_class_range(class, from) \
	for (class = (from); class >= __begin_sched_classes; class--)
#define for_each_class(class) \
	for_class_range(class, __end_sched_classes - 1)
#define sched_class_above(a, b)		((a) > (b))

static inline bool idle_policy(int policy)
{
	return policy == SCHED_IDLE;
}

static inline bool fair_policy(int policy)
{
	return policy == SCHED_NORMAL || policy == SCHED_BATCH;
}

static inline bool rt_policy(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static inline bool dl_policy(int policy)
{
	return policy == SCHED_DEADLINE;
}

static inline bool rt_prio(int prio)
{
	return prio < MAX_RT_PRIO;
}

static inline bool dl_prio(int prio)
{
	return prio < MAX_DL_PRIO;
}

static inline bool rt_task(const struct task_struct *p)
{
	return rt_prio(p->prio);
}

static inline bool dl_task(const struct task_struct *p)
{
	return dl_prio(p->prio);
}

static inline void __set_task_cpu(struct task_struct *p, unsigned int cpu)
{
	WRITE_ONCE(p->cpu, cpu);
}

static inline bool task_current(const struct rq *rq,
				const struct task_struct *p)
{
	return rq->curr == p;
}

static inline bool task_on_rq_queued(const struct task_struct *p)
{
	return p->on_rq == TASK_ON_RQ_QUEUED;
}

static inline bool task_on_rq_migrating(const struct task_struct *p)
{
	return READ_ONCE(p->on_rq) == TASK_ON_RQ_MIGRATING;
}

static inline void put_prev_task(struct rq *rq, struct task_struct *prev)
{
	prev->sched_class->put_prev_task(rq, prev);
}

static inline void set_next_task(struct rq *rq, struct task_struct *next)
{
	next->sched_class->set_next_task(rq, next, false);
}

static inline void add_nr_running(struct rq *rq, unsigned int count)
{
	rq->nr_running += count;
}

static inline void sub_nr_running(struct rq *rq, unsigned int count)
{
	rq->nr_running -= count;
}

#define raw_spin_rq_lock(rq)	raw_spin_rq_lock_nested(rq)
void raw_spin_rq_lock_nested(struct rq *rq);
void raw_spin_rq_unlock(struct rq *rq);

/* The queue of a task that cannot move meanwhile; the first: nor be woken. */
struct rq *task_rq_lock(struct task_struct *p, unsigned long *flags);
void task_rq_unlock(struct rq *rq, struct task_struct *p,
		    unsigned long *flags);
struct rq *__task_rq_lock(struct task_struct *p);

#define BALANCE_PUSH_DL		0x1
#define BALANCE_PULL_DL		0x2
#define BALANCE_PUSH_RT		0x4
#define BALANCE_PULL_RT		0x8

/* What may let the queue's lock go, once that does no harm any more. */
static inline void queue_balance_callback(struct rq *rq, unsigned int what)
{
	rq->balance_callback |= what;
}
void __balance_callbacks(struct rq *rq);

/* A second queue; whether the first was let go for it. */
bool double_lock_balance(struct rq *this_rq, struct rq *busiest);
void double_unlock_balance(struct rq *this_rq, struct rq *busiest);

void __schedule(unsigned int sched_mode);
void update_rq_clock(struct rq *rq);
void resched_curr(struct rq *rq);
void activate_task(struct rq *rq, struct task_struct *p, int flags);
void deactivate_task(struct rq *rq, struct task_struct *p, int flags);
void enqueue_task(struct rq *rq, struct task_struct *p, int flags);
void dequeue_task(struct rq *rq, struct task_struct *p, int flags);
void check_preempt_curr(struct rq *rq, struct task_struct *p, int flags);
void set_task_cpu(struct task_struct *p, unsigned int new_cpu);

/* A task that waits goes to another queue; both are locked. */
static inline void move_queued_task_locked(struct rq *src_rq,
					   struct rq *dst_rq,
					   struct task_struct *p)
{
	deactivate_task(src_rq, p, 0);
	set_task_cpu(p, dst_rq->cpu);
	activate_task(dst_rq, p, 0);
}

struct rq *move_queued_task(struct rq *rq, struct task_struct *p, int new_cpu);
int migration_cpu_stop(void *data);

/* For migration_cpu_stop(). */
struct migration_arg {
	struct task_struct *task;
	int dest_cpu;
};

/* affinity.c */
bool is_cpu_allowed(struct task_struct *p, int cpu);
int select_fallback_rq(int cpu, struct task_struct *p);
void set_cpus_allowed_common(struct task_struct *p,
			     const struct cpumask *mask);

/* prio.c */
int __normal_prio(int policy, int rt_prio, int nice);
const struct sched_class *class_of_prio(int prio);
void set_load_weight(struct task_struct *p);
void check_class_changed(struct rq *rq, struct task_struct *p,
			 const struct sched_class *prev_class, int oldprio);

/* fair.c */
void init_cfs_rq(struct cfs_rq *cfs_rq);
void reweight_task(struct task_struct *p, unsigned long weight);
struct task_struct *pick_next_task_fair(struct rq *rq,
					struct task_struct *prev);

/* idle.c, stop_task.c */
struct task_struct *pick_next_task_idle(struct rq *rq);

/* rt.c, rt_push.c */
void init_rt_rq(struct rt_rq *rt_rq);
void init_rt_bandwidth(void);
int rt_rq_highest(const struct rt_rq *rt_rq);
void enqueue_pushable_task(struct rq *rq, struct task_struct *p);
void dequeue_pushable_task(struct rq *rq, struct task_struct *p);
int find_lowest_rq(struct task_struct *task);
void push_rt_tasks(struct rq *rq);
void pull_rt_task(struct rq *this_rq);

/* rt_bandwidth.c */
void start_rt_bandwidth(void);
bool sched_rt_runtime_exceeded(struct rt_rq *rt_rq);
void enqueue_top_rt_rq(struct rt_rq *rt_rq);
void dequeue_top_rt_rq(struct rt_rq *rt_rq, unsigned int count);

/* deadline.c, dl_push.c, dl_bandwidth.c */
int sched_dl_global_change(u64 period, u64 runtime);
struct sched_attr;
void init_dl_rq(struct dl_rq *dl_rq);
void init_dl_task_timer(struct sched_dl_entity *dl_se);
void __setparam_dl(struct task_struct *p, const struct sched_attr *attr);
void __getparam_dl(struct task_struct *p, struct sched_attr *attr);
bool __checkparam_dl(const struct sched_attr *attr);
bool dl_param_changed(struct task_struct *p, const struct sched_attr *attr);
int sched_dl_overflow(struct task_struct *p, int policy,
		      const struct sched_attr *attr);
void dl_release_bw(struct task_struct *p);
struct task_struct *dl_earliest(const struct dl_rq *dl_rq);
void enqueue_pushable_dl_task(struct rq *rq, struct task_struct *p);
void dequeue_pushable_dl_task(struct rq *rq, struct task_struct *p);
int find_later_rq(struct task_struct *task);
void push_dl_tasks(struct rq *rq);
void pull_dl_task(struct rq *this_rq);

static inline bool dl_time_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static inline bool dl_entity_preempt(const struct sched_dl_entity *a,
				     const struct sched_dl_entity *b)
{
	return dl_time_before(a->deadline, b->deadline);
}

/* balance.c */
int newidle_balance(struct rq *this_rq);
void init_balance(struct rq *rq);
void trigger_load_balance(struct rq *rq);
void run_rebalance_domains(struct softirq_action *h);

#endif
