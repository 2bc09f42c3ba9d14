/* SPDX-License-Identifier: GPL-2.0-only */
/* Grace periods for those in a hurry: busy CPUs are interrupted. */
#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <trace/events/rcu.h>
#include "rcu.h"

static DEFINE_MUTEX(exp_mutex);
static DECLARE_COMPLETION(exp_done);
static bool exp_waiting;	/* under the node's lock */
static unsigned long expedited_sequence;

/* Called with the node locked by irqsave, and unlocks it. */
void rcu_exp_check_done(struct rcu_node *rnp, unsigned long flags)
{
	bool done = exp_waiting && cpumask_empty(&rnp->expmask) &&
		    !rnp->exp_tasks;

	if (done)
		exp_waiting = false;
	raw_spin_unlock_irqrestore(&rnp->lock, flags);
	if (done)
		complete(&exp_done);
}

/* This CPU is quiescent. With interrupts off. */
void rcu_report_exp_rdp(struct rcu_data *rdp)
{
	struct rcu_node *rnp = &rcu_node;
	unsigned long flags;

	raw_spin_lock_irqsave(&rnp->lock, flags);
	rdp->cpu_no_qs_exp = false;
	cpumask_clear_cpu(rdp->cpu, &rnp->expmask);
	rcu_exp_check_done(rnp, flags);
}

/*
 * In the interrupt, with interrupts off: reports now, or at the end of what
 * must not be interrupted.
 */
static void rcu_exp_handler(void *unused)
{
	struct rcu_data *rdp = this_cpu_ptr(&rcu_data);
	struct task_struct *t = current;

	if (!t->rcu_read_lock_nesting &&
	    (is_idle_task(t) ||
	     !(preempt_count() & (PREEMPT_MASK | SOFTIRQ_MASK)))) {
		rcu_report_exp_rdp(rdp);
		return;
	}
	rdp->cpu_no_qs_exp = true;
	set_bit(TIF_NEED_RESCHED, &t->thread_info_flags);
	set_preempt_need_resched();
}

static void sync_rcu_exp_select_cpus(struct cpumask *ipi_mask)
{
	struct rcu_node *rnp = &rcu_node;
	int cpu;

	trace_rcu_exp_grace_period(rcu_state.name,
				   rcu_seq_endval(expedited_sequence),
				   TPS("select"));
	raw_spin_lock_irq(&rnp->lock);
	cpumask_clear(ipi_mask);
	for_each_online_cpu(cpu)
		if (cpu != smp_processor_id() &&
		    !rcu_dynticks_in_eqs(rcu_dynticks_snap(cpu)))
			cpumask_set_cpu(cpu, ipi_mask);
	cpumask_copy(&rnp->expmask, ipi_mask);
	if (!list_empty(&rnp->blkd_tasks))
		WRITE_ONCE(rnp->exp_tasks, rnp->blkd_tasks.next);
	exp_waiting = true;
	raw_spin_unlock_irq(&rnp->lock);
}

/* Sleeps, and so must not be called by a reader. One at a time. */
void synchronize_rcu_expedited(void)
{
	struct rcu_node *rnp = &rcu_node;
	struct cpumask ipi_mask;
	unsigned long flags, s = rcu_seq_snap(expedited_sequence);

	WARN_ON_ONCE(current->rcu_read_lock_nesting);
	trace_rcu_exp_grace_period(rcu_state.name, s, TPS("snap"));
	mutex_lock(&exp_mutex);
	rcu_seq_start(&expedited_sequence);
	trace_rcu_exp_grace_period(rcu_state.name, s, TPS("start"));
	init_completion(&exp_done);
	preempt_disable();
	sync_rcu_exp_select_cpus(&ipi_mask);
	smp_call_function_many(&ipi_mask, rcu_exp_handler, NULL, false);
	preempt_enable();
	trace_rcu_exp_grace_period(rcu_state.name,
				   rcu_seq_endval(expedited_sequence),
				   TPS("startwait"));
	raw_spin_lock_irqsave(&rnp->lock, flags);
	rcu_exp_check_done(rnp, flags);
	wait_for_completion(&exp_done);
	expedited_sequence = rcu_seq_endval(expedited_sequence);
	trace_rcu_exp_grace_period(rcu_state.name, s, TPS("end"));
	mutex_unlock(&exp_mutex);
}
