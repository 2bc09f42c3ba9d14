/* SPDX-License-Identifier: GPL-2.0-only */
/* RCU's state, for its own files. */
#ifndef _KERNEL_RCU_RCU_H
#define _KERNEL_RCU_RCU_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/swait.h>

/*
 * A grace period's number counts up in steps of 4; the low two bits are not
 * zero while it is under way.
 */
#define RCU_SEQ_CTR_SHIFT	2
#define RCU_SEQ_STATE_MASK	((1UL << RCU_SEQ_CTR_SHIFT) - 1)

#define ULONG_CMP_GE(a, b)	((long)((a) - (b)) >= 0)
#define ULONG_CMP_LT(a, b)	((long)((a) - (b)) < 0)

static inline bool rcu_seq_state(unsigned long s)
{
	return s & RCU_SEQ_STATE_MASK;
}

static inline void rcu_seq_start(unsigned long *sp)
{
	WRITE_ONCE(*sp, *sp + 1);
}

/* What the number will be when what is under way has ended. */
static inline unsigned long rcu_seq_endval(unsigned long s)
{
	return (s | RCU_SEQ_STATE_MASK) + 1;
}

/* The number that says: a whole grace period has passed since now. */
static inline unsigned long rcu_seq_snap(unsigned long s)
{
	return (s + 2 * RCU_SEQ_STATE_MASK + 1) & ~RCU_SEQ_STATE_MASK;
}

/* Has one ended, or begun, between the two? */
static inline bool rcu_seq_completed_gp(unsigned long old, unsigned long new)
{
	return ULONG_CMP_LT(old, new & ~RCU_SEQ_STATE_MASK);
}

static inline bool rcu_seq_new_gp(unsigned long old, unsigned long new)
{
	return ULONG_CMP_LT((old + RCU_SEQ_STATE_MASK) & ~RCU_SEQ_STATE_MASK,
			    new);
}

/*
 * A CPU's callbacks, in the order in which they may be called: now, after
 * the grace period with the segment's number, after the one that follows it,
 * and those for which none has been asked for yet.
 */
enum {
	RCU_DONE_TAIL,
	RCU_WAIT_TAIL,
	RCU_NEXT_READY_TAIL,
	RCU_NEXT_TAIL,
};
#define RCU_CBLIST_NSEGS	4

struct rcu_segcblist {
	struct rcu_head *head;
	struct rcu_head **tails[RCU_CBLIST_NSEGS];	/* each one's end */
	unsigned long gp_seq[RCU_CBLIST_NSEGS];
	long len;
};

void rcu_segcblist_init(struct rcu_segcblist *rsclp);
void rcu_segcblist_enqueue(struct rcu_segcblist *rsclp, struct rcu_head *rhp);
bool rcu_segcblist_entrain(struct rcu_segcblist *rsclp, struct rcu_head *rhp);
struct rcu_head *rcu_segcblist_dequeue(struct rcu_segcblist *rsclp);
void rcu_segcblist_advance(struct rcu_segcblist *rsclp, unsigned long seq);
bool rcu_segcblist_accelerate(struct rcu_segcblist *rsclp, unsigned long seq);
/* How many callbacks are in each segment. */
void rcu_segcblist_lengths(struct rcu_segcblist *rsclp, long *lengths);

static inline bool rcu_segcblist_empty(struct rcu_segcblist *rsclp)
{
	return !READ_ONCE(rsclp->head);
}

static inline bool rcu_segcblist_ready_cbs(struct rcu_segcblist *rsclp)
{
	return rsclp->tails[RCU_DONE_TAIL] != &rsclp->head;
}

/* Is there nothing after segment @seg? */
static inline bool rcu_segcblist_restempty(struct rcu_segcblist *rsclp, int seg)
{
	return !*rsclp->tails[seg];
}

/*
 * Who holds up a grace period. Linux has a tree of these, so that thousands of
 * CPUs do not meet at one lock; 128 can.
 */
struct rcu_node {
	raw_spinlock_t lock;
	unsigned long gp_seq;		/* the grace period, or the last one */
	unsigned long gp_seq_needed;	/* the furthest asked for */
	struct cpumask qsmask;		/* CPUs that have not reported */
	struct cpumask expmask;		/* the same for an expedited one */
	/*
	 * Readers that were preempted. From gp_tasks to the end they hold up
	 * the grace period, from exp_tasks on the expedited one.
	 */
	struct list_head blkd_tasks;
	struct list_head *gp_tasks;
	struct list_head *exp_tasks;
};

struct rcu_data {
	unsigned long gp_seq;		/* what this CPU has heard of */
	bool cpu_no_qs;			/* no quiescent state since then ... */
	bool core_needs_qs;		/* ... and one is waited for */
	bool cpu_no_qs_exp;		/* the same for an expedited one */
	unsigned int dynticks_snap;
	int cpu;
	struct rcu_segcblist cblist;
	struct rcu_head barrier_head;
};

#define RCU_GP_FLAG_INIT	0x1	/* one is asked for */
#define RCU_GP_FLAG_FQS		0x2	/* force quiescent states */

struct rcu_state {
	const char *name;		/* as traces call it */
	unsigned long gp_seq;
	struct task_struct *gp_kthread;
	struct swait_queue_head gp_wq;
	unsigned long gp_flags;
	unsigned long gp_start;		/* in jiffies */
	unsigned long jiffies_stall;	/* when to complain */
};

extern struct rcu_state rcu_state;
extern struct rcu_node rcu_node;
DECLARE_PER_CPU(struct rcu_data, rcu_data);

/*
 * Traces show the CPUs of a node as a word: those from grplo to grphi. As many
 * as @cpu's word holds count as its node there.
 */
static inline int rcu_grplo(int cpu)
{
	return cpu / BITS_PER_LONG * BITS_PER_LONG;
}

static inline int rcu_grphi(int cpu)
{
	return min_t(int, rcu_grplo(cpu) + BITS_PER_LONG, nr_cpu_ids) - 1;
}

static inline unsigned long rcu_qsmask(struct rcu_node *rnp, int cpu)
{
	return rnp->qsmask.bits[cpu / BITS_PER_LONG];
}

static inline bool rcu_gp_in_progress(void)
{
	return rcu_seq_state(READ_ONCE(rcu_state.gp_seq));
}

bool rcu_accelerate_cbs(struct rcu_node *rnp, struct rcu_data *rdp);
void rcu_report_qs_rsp(unsigned long flags);
void rcu_gp_kthread_wake(void);
void rcu_core(void);
void invoke_rcu_core(void);

/* callbacks.c */
void rcu_do_batch(struct rcu_data *rdp);

/* tree_plugin.c: readers that were preempted */
void rcu_qs(void);
bool rcu_preempt_need_deferred_qs(struct task_struct *t);
void rcu_preempt_deferred_qs(struct task_struct *t);
void rcu_flavor_sched_clock_irq(int user);
bool rcu_preempt_blocked_readers_cgp(struct rcu_node *rnp);
void rcu_preempt_check_blocked_tasks(struct rcu_node *rnp);

/* tree_exp.c */
void rcu_report_exp_rdp(struct rcu_data *rdp);
void rcu_exp_check_done(struct rcu_node *rnp, unsigned long flags);

/* context_tracking.c */
unsigned int rcu_dynticks_snap(int cpu);
bool rcu_dynticks_in_eqs(unsigned int snap);
bool rcu_dynticks_in_eqs_since(int cpu, unsigned int snap);

#endif
