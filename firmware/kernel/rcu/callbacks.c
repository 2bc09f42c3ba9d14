/* SPDX-License-Identifier: GPL-2.0-only */
/* What is called after grace periods, and who waits for that. */
#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <trace/events/rcu.h>
#include "rcu.h"

#define RCU_BATCH_LIMIT		10	/* callbacks at a time */
#define RCU_MANY_CALLBACKS	10000	/* then nobody waits for a tick */

/* An offset, not a function: kfree the object that this is the head of. */
#define __is_kvfree_rcu_offset(offset)	((offset) < 4096)

static bool rcu_reclaim_tiny(struct rcu_head *head)
{
	unsigned long offset = (unsigned long)head->func;

	if (__is_kvfree_rcu_offset(offset)) {
		trace_rcu_invoke_kvfree_callback(rcu_state.name, head, offset);
		kfree((void *)head - offset);
		return true;
	}
	return false;
}

/*
 * In any context but NMI. After a grace period @func is called in a softirq;
 * until then @head is RCU's.
 */
void call_rcu(struct rcu_head *head, rcu_callback_t func)
{
	struct rcu_data *rdp;
	unsigned long flags;

	head->func = func;
	local_irq_save(flags);
	rdp = this_cpu_ptr(&rcu_data);
	rcu_segcblist_enqueue(&rdp->cblist, head);
	if (__is_kvfree_rcu_offset((unsigned long)func))
		trace_rcu_kvfree_callback(rcu_state.name, head,
					  (unsigned long)func,
					  rdp->cblist.len);
	else
		trace_rcu_callback(rcu_state.name, head, rdp->cblist.len);
	trace_rcu_segcb_stats(&rdp->cblist, TPS("SegCBQueued"));
	if (unlikely(rdp->cblist.len > RCU_MANY_CALLBACKS))
		__raise_softirq_irqoff(RCU_SOFTIRQ);
	local_irq_restore(flags);
}

void kvfree_call_rcu(struct rcu_head *head, void *object)
{
	call_rcu(head, (rcu_callback_t)((void *)head - object));
}

/* In a softirq, with interrupts on; the rest waits for the next round. */
void rcu_do_batch(struct rcu_data *rdp)
{
	struct rcu_head *rhp;
	rcu_callback_t func;
	unsigned long flags;
	int count;

	local_irq_save(flags);
	trace_rcu_batch_start(rcu_state.name, rdp->cblist.len, RCU_BATCH_LIMIT);
	for (count = 0; count < RCU_BATCH_LIMIT; count++) {
		rhp = rcu_segcblist_dequeue(&rdp->cblist);
		if (!rhp)
			break;
		local_irq_restore(flags);
		if (!rcu_reclaim_tiny(rhp)) {
			trace_rcu_invoke_callback(rcu_state.name, rhp);
			func = rhp->func;
			rhp->func = NULL;
			func(rhp);
		}
		local_irq_save(flags);
	}
	trace_rcu_batch_end(rcu_state.name, count,
			    rcu_segcblist_ready_cbs(&rdp->cblist),
			    need_resched(), is_idle_task(current), false);
	if (rcu_segcblist_ready_cbs(&rdp->cblist))
		invoke_rcu_core();
	local_irq_restore(flags);
}

struct rcu_synchronize {
	struct rcu_head head;
	struct completion completion;
};

static void wakeme_after_rcu(struct rcu_head *head)
{
	struct rcu_synchronize *rcu =
		container_of(head, struct rcu_synchronize, head);

	complete(&rcu->completion);
}

static void __wait_rcu_gp(void)
{
	struct rcu_synchronize rs;

	init_completion(&rs.completion);
	call_rcu(&rs.head, wakeme_after_rcu);
	wait_for_completion(&rs.completion);
}

/*
 * Sleeps, and so must not be called by a reader. Before there is a thread for
 * grace periods there is nobody else who reads.
 */
void synchronize_rcu(void)
{
	WARN_ON_ONCE(current->rcu_read_lock_nesting);
	if (READ_ONCE(rcu_state.gp_kthread))
		__wait_rcu_gp();
}

static DEFINE_MUTEX(barrier_mutex);
static DECLARE_COMPLETION(barrier_completion);
static atomic_t barrier_cpu_count;
static unsigned long barrier_sequence;

static inline void rcu_barrier_trace(const char *s, int cpu,
				     unsigned long done)
{
	if (trace_rcu_barrier_enabled())
		trace_rcu_barrier(rcu_state.name, s, cpu,
				  atomic_read(&barrier_cpu_count), done);
}

static void rcu_barrier_callback(struct rcu_head *rhp)
{
	if (atomic_dec_and_test(&barrier_cpu_count)) {
		rcu_barrier_trace(TPS("LastCB"), -1, barrier_sequence);
		complete(&barrier_completion);
	} else {
		rcu_barrier_trace(TPS("CB"), -1, barrier_sequence);
	}
}

static void rcu_barrier_entrain(struct rcu_data *rdp)
{
	rcu_barrier_trace(TPS("IRQ"), -1, barrier_sequence);
	rdp->barrier_head.func = rcu_barrier_callback;
	atomic_inc(&barrier_cpu_count);
	if (!rcu_segcblist_entrain(&rdp->cblist, &rdp->barrier_head)) {
		atomic_dec(&barrier_cpu_count);
		rcu_barrier_trace(TPS("IRQNQ"), -1, barrier_sequence);
	}
}

static void rcu_barrier_handler(void *unused)
{
	rcu_barrier_entrain(this_cpu_ptr(&rcu_data));
}

/*
 * A callback behind the last one of each CPU tells that all have run. Sleeps
 * until then.
 */
void rcu_barrier(void)
{
	rcu_barrier_trace(TPS("Begin"), -1, rcu_seq_snap(barrier_sequence));
	mutex_lock(&barrier_mutex);
	rcu_seq_start(&barrier_sequence);
	rcu_barrier_trace(TPS("Inc1"), -1, barrier_sequence);
	init_completion(&barrier_completion);
	atomic_set(&barrier_cpu_count, 1);
	on_each_cpu(rcu_barrier_handler, NULL);
	if (atomic_dec_and_test(&barrier_cpu_count))
		complete(&barrier_completion);
	wait_for_completion(&barrier_completion);
	rcu_barrier_trace(TPS("Inc2"), -1, barrier_sequence);
	barrier_sequence = rcu_seq_endval(barrier_sequence);
	mutex_unlock(&barrier_mutex);
}
