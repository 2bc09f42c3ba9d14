/* SPDX-License-Identifier: GPL-2.0-only */
/* Run queues and scheduling classes, for the scheduler's own files. */
#ifndef _KERNEL_SCHED_SCHED_H
#define _KERNEL_SCHED_SCHED_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

struct softirq_action;

/* Why __schedule() is called: only the first takes sleepers off the queue. */
#define SM_NONE		0
#define SM_PREEMPT	1

#define WF_FORK		0x04
#define WF_TTWU		0x08
#define WF_SYNC		0x10	/* the waker is about to sleep */

#define ENQUEUE_WAKEUP	0x01
#define ENQUEUE_INITIAL	0x80
#define DEQUEUE_SLEEP	0x01

#define TASK_ON_RQ_QUEUED	1
#define TASK_ON_RQ_MIGRATING	2

#define NICE_0_LOAD		1024
#define MAX_RT_PRIO		100
#define DEFAULT_PRIO		120

struct cfs_rq {
	struct list_head tasks;		/* in order of vruntime, without curr */
	struct sched_entity *curr;
	unsigned int nr_running;
	unsigned long load;
	u64 min_vruntime;
};

struct rq {
	raw_spinlock_t __lock;
	unsigned int nr_running;
	int cpu;
	struct cfs_rq cfs;
	struct task_struct *curr;
	struct task_struct *idle;
	struct mm_struct *prev_mm;	/* to be dropped after the switch */
	u64 clock;
	u64 nr_switches;
	unsigned long next_balance;	/* in jiffies */
	struct call_single_data nohz_csd;
};

DECLARE_PER_CPU(struct rq, runqueues);

#define cpu_rq(cpu)		per_cpu_ptr(&runqueues, cpu)
#define this_rq()		this_cpu_ptr(&runqueues)
#define task_rq(p)		cpu_rq(task_cpu(p))
#define cpu_curr(cpu)		(cpu_rq(cpu)->curr)
#define task_of(entity)		container_of(entity, struct task_struct, se)

struct sched_class {
	void (*enqueue_task)(struct rq *rq, struct task_struct *p, int flags);
	void (*dequeue_task)(struct rq *rq, struct task_struct *p, int flags);
	void (*check_preempt_curr)(struct rq *rq, struct task_struct *p,
				   int flags);
	struct task_struct *(*pick_next_task)(struct rq *rq,
					      struct task_struct *prev);
	void (*put_prev_task)(struct rq *rq, struct task_struct *prev);
	int (*select_task_rq)(struct task_struct *p, int prev_cpu, int flags);
	void (*task_tick)(struct rq *rq, struct task_struct *p);
	void (*task_fork)(struct task_struct *p);
	void (*yield_task)(struct rq *rq);
};

extern const struct sched_class fair_sched_class;
extern const struct sched_class idle_sched_class;

#define raw_spin_rq_lock(rq)	raw_spin_rq_lock_nested(rq)
void raw_spin_rq_lock_nested(struct rq *rq);
void raw_spin_rq_unlock(struct rq *rq);

void __schedule(unsigned int sched_mode);
void do_sched_yield(void);
void update_rq_clock(struct rq *rq);
void resched_curr(struct rq *rq);
void activate_task(struct rq *rq, struct task_struct *p, int flags);
void deactivate_task(struct rq *rq, struct task_struct *p, int flags);
void check_preempt_curr(struct rq *rq, struct task_struct *p, int flags);
void set_task_cpu(struct task_struct *p, unsigned int cpu);

unsigned long nice_to_weight(int nice);

void init_cfs_rq(struct cfs_rq *cfs_rq);
void update_curr(struct cfs_rq *cfs_rq);
void set_next_entity(struct cfs_rq *cfs_rq, struct sched_entity *se);

/* balance.c */
int newidle_balance(struct rq *this_rq);
void init_balance(struct rq *rq);
void trigger_load_balance(struct rq *rq);
void run_rebalance_domains(struct softirq_action *h);

#endif
