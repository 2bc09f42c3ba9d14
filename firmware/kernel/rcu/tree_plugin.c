/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers. A reader that is switched out is put on a list, and its CPU counts
 * as quiescent: from then on it is the task that is waited for.
 */
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <trace/events/rcu.h>
#include "rcu.h"

/* task_struct.rcu_read_unlock_special */
#define RCU_READ_BLOCKED	0x1	/* on the list */
#define RCU_READ_NEED_QS	0x2	/* its CPU is waited for */

static void rcu_read_unlock_special(struct task_struct *t);

void __rcu_read_lock(void)
{
	current->rcu_read_lock_nesting++;
	barrier();
}

void __rcu_read_unlock(void)
{
	struct task_struct *t = current;

	barrier();
	if (--t->rcu_read_lock_nesting == 0) {
		barrier();
		if (unlikely(READ_ONCE(t->rcu_read_unlock_special)))
			rcu_read_unlock_special(t);
	}
	WARN_ON_ONCE(t->rcu_read_lock_nesting < 0);
}

/* This CPU has passed a quiescent state. With preemption off. */
void rcu_qs(void)
{
	struct rcu_data *rdp = this_cpu_ptr(&rcu_data);

	if (!rdp->cpu_no_qs)
		return;
	trace_rcu_grace_period(rcu_state.name, rdp->gp_seq, TPS("cpuqs"));
	rdp->cpu_no_qs = false;
	current->rcu_read_unlock_special &= ~RCU_READ_NEED_QS;
}

/* Is a preempted reader what the grace period waits for? */
bool rcu_preempt_blocked_readers_cgp(struct rcu_node *rnp)
{
	return READ_ONCE(rnp->gp_tasks) != NULL;
}

/* A grace period begins: it waits for all that are on the list. */
void rcu_preempt_check_blocked_tasks(struct rcu_node *rnp)
{
	WARN_ON_ONCE(rnp->gp_tasks);
	if (!list_empty(&rnp->blkd_tasks))
		rnp->gp_tasks = rnp->blkd_tasks.next;
}

/*
 * Called with the node locked. The tasks that block no grace period come first.
 * A task that blocks both kinds goes before all that block one: a grace period
 * may wait longer than it needs to, but never too short.
 */
static __noclone void rcu_preempt_ctxt_queue(struct rcu_node *rnp,
					     struct rcu_data *rdp,
					     struct task_struct *t)
{
	bool blocks_gp = cpumask_test_cpu(rdp->cpu, &rnp->qsmask);
	bool blocks_exp = cpumask_test_cpu(rdp->cpu, &rnp->expmask);
	struct list_head *entry = &t->rcu_node_entry;

	if (!blocks_gp && !blocks_exp) {
		list_add(entry, &rnp->blkd_tasks);
		return;
	}
	if (blocks_gp == blocks_exp || (!rnp->gp_tasks && !rnp->exp_tasks)) {
		/* Before all tasks that block a grace period, or last. */
		struct list_head *at = rnp->blkd_tasks.next;

		while (at != &rnp->blkd_tasks && at != rnp->gp_tasks &&
		       at != rnp->exp_tasks)
			at = at->next;
		list_add_tail(entry, at);
	} else if (blocks_gp) {
		list_add_tail(entry, rnp->gp_tasks ?: &rnp->blkd_tasks);
	} else {
		list_add_tail(entry, rnp->exp_tasks ?: &rnp->blkd_tasks);
	}
	if (blocks_gp)
		rnp->gp_tasks = entry;
	if (blocks_exp)
		rnp->exp_tasks = entry;
}

/*
 * With interrupts off and no queue locked: it may wake the thread. @preempt:
 * the task did not ask for it.
 */
void rcu_note_context_switch(bool preempt)
{
	struct task_struct *t = current;
	struct rcu_data *rdp = this_cpu_ptr(&rcu_data);
	struct rcu_node *rnp = &rcu_node;

	trace_rcu_utilization(TPS("Start context switch"));
	WARN_ON_ONCE(!preempt && t->rcu_read_lock_nesting > 0);
	if (t->rcu_read_lock_nesting > 0 &&
	    !(t->rcu_read_unlock_special & RCU_READ_BLOCKED)) {
		raw_spin_lock(&rnp->lock);
		t->rcu_read_unlock_special |= RCU_READ_BLOCKED;
		rcu_preempt_ctxt_queue(rnp, rdp, t);
		if (trace_rcu_preempt_task_enabled())
			trace_rcu_preempt_task(rcu_state.name, t->pid,
				cpumask_test_cpu(rdp->cpu, &rnp->qsmask) ?
				rnp->gp_seq : rcu_seq_snap(rnp->gp_seq));
		raw_spin_unlock(&rnp->lock);
	} else {
		rcu_preempt_deferred_qs(t);
	}
	rcu_qs();
	if (rdp->cpu_no_qs_exp)
		rcu_report_exp_rdp(rdp);
	if (!preempt)
		rcu_tasks_qs(t);
	trace_rcu_utilization(TPS("End context switch"));
}

/* The entry after @t's, or NULL if it is the last. */
static struct list_head *rcu_next_node_entry(struct task_struct *t,
					     struct rcu_node *rnp)
{
	struct list_head *next = t->rcu_node_entry.next;

	return next == &rnp->blkd_tasks ? NULL : next;
}

/*
 * Off the list; whoever waited for this reader only goes on. Takes the node's
 * lock, and may wake tasks.
 */
static void rcu_preempt_unblock(struct task_struct *t)
{
	struct rcu_node *rnp = &rcu_node;
	struct list_head *entry = &t->rcu_node_entry, *next;
	int cpu = raw_smp_processor_id();
	bool empty_cgp, empty_exp;
	unsigned long flags;

	raw_spin_lock_irqsave(&rnp->lock, flags);
	empty_cgp = !rnp->gp_tasks;
	empty_exp = !rnp->exp_tasks;
	next = rcu_next_node_entry(t, rnp);
	list_del_init(entry);
	trace_rcu_unlock_preempted_task(TPS("rcu_preempt"), rnp->gp_seq,
					t->pid);
	if (entry == rnp->gp_tasks)
		WRITE_ONCE(rnp->gp_tasks, next);
	if (entry == rnp->exp_tasks)
		WRITE_ONCE(rnp->exp_tasks, next);
	empty_exp = !empty_exp && !rnp->exp_tasks;
	if (!empty_cgp && !rnp->gp_tasks)
		trace_rcu_quiescent_state_report(TPS("preempt_rcu"),
			rnp->gp_seq, 0, rcu_qsmask(rnp, cpu), 0,
			rcu_grplo(cpu), rcu_grphi(cpu), false);
	if (!empty_cgp && !rnp->gp_tasks &&
	    cpumask_empty(&rnp->qsmask))
		rcu_report_qs_rsp(flags);
	else
		raw_spin_unlock_irqrestore(&rnp->lock, flags);
	if (empty_exp) {
		raw_spin_lock_irqsave(&rnp->lock, flags);
		rcu_exp_check_done(rnp, flags);
	}
}

/*
 * Called with interrupts off and no lock held: it may wake tasks. Restores
 * @flags.
 */
static void rcu_preempt_deferred_qs_irqrestore(struct task_struct *t,
					       unsigned long flags)
{
	struct rcu_data *rdp = this_cpu_ptr(&rcu_data);
	unsigned int special = t->rcu_read_unlock_special;

	t->rcu_read_unlock_special = 0;
	if (special & RCU_READ_NEED_QS)
		rcu_qs();
	if (rdp->cpu_no_qs_exp)
		rcu_report_exp_rdp(rdp);
	if (special & RCU_READ_BLOCKED)
		rcu_preempt_unblock(t);
	local_irq_restore(flags);
}

/* Something was left for when there are no locks around. */
bool rcu_preempt_need_deferred_qs(struct task_struct *t)
{
	return (READ_ONCE(t->rcu_read_unlock_special) ||
		this_cpu_ptr(&rcu_data)->cpu_no_qs_exp) &&
	       t->rcu_read_lock_nesting == 0;
}

void rcu_preempt_deferred_qs(struct task_struct *t)
{
	unsigned long flags;

	if (!rcu_preempt_need_deferred_qs(t))
		return;
	local_irq_save(flags);
	rcu_preempt_deferred_qs_irqrestore(t, flags);
}

/*
 * The caller may hold the scheduler's locks, and what is to be done wakes
 * tasks: it is done at once only if nothing is held, else by the next switch.
 */
static void rcu_read_unlock_special(struct task_struct *t)
{
	unsigned long flags;
	bool irqs_were_disabled = irqs_disabled();

	if (in_nmi())
		return;
	local_irq_save(flags);
	if (irqs_were_disabled ||
	    preempt_count() & (PREEMPT_MASK | SOFTIRQ_MASK | HARDIRQ_MASK)) {
		set_bit(TIF_NEED_RESCHED, &t->thread_info_flags);
		set_preempt_need_resched();
		local_irq_restore(flags);
		return;
	}
	rcu_preempt_deferred_qs_irqrestore(t, flags);
}

/* A tick: was what it interrupted a quiescent state? */
void rcu_flavor_sched_clock_irq(int user)
{
	struct task_struct *t = current;

	if (user)
		rcu_tasks_qs(t);
	if (t->rcu_read_lock_nesting > 0) {
		/* Who leaves the section shall say so. */
		if (this_cpu_ptr(&rcu_data)->core_needs_qs &&
		    this_cpu_ptr(&rcu_data)->cpu_no_qs)
			t->rcu_read_unlock_special |= RCU_READ_NEED_QS;
		return;
	}
	if (!user && preempt_count() & (PREEMPT_MASK | SOFTIRQ_MASK)) {
		/* Not now: it may hold locks. Preemption will tell. */
		if (rcu_preempt_need_deferred_qs(t)) {
			set_bit(TIF_NEED_RESCHED, &t->thread_info_flags);
			set_preempt_need_resched();
		}
		return;
	}
	rcu_preempt_deferred_qs(t);
	rcu_qs();
}
