/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Grace periods: a kernel thread begins one when it is asked to, waits until
 * every CPU has passed a quiescent state and every reader that was preempted
 * has ended, and tells all CPUs by the period's number.
 */
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "rcu.h"

#define CREATE_TRACE_POINTS
#include <trace/events/rcu.h>

#define RCU_SEQ_START	(-300UL << RCU_SEQ_CTR_SHIFT)

/* In jiffies: until idle CPUs are looked for, and until all this is odd. */
#define RCU_JIFFIES_TILL_FORCE_QS	3
#define RCU_STALL_TIMEOUT		(21 * HZ)

static const char rcu_name[] = "rcu_preempt";
static const char *const tp_rcu_varname __tracepoint_string = rcu_name;

struct rcu_state rcu_state = {
	.name = rcu_name,
	.gp_seq = RCU_SEQ_START,
	.gp_wq = __SWAIT_QUEUE_HEAD_INITIALIZER(rcu_state.gp_wq),
};

struct rcu_node rcu_node = {
	.gp_seq = RCU_SEQ_START,
	.gp_seq_needed = RCU_SEQ_START,
	.lock = __SPIN_LOCK_UNLOCKED,
	.blkd_tasks = LIST_HEAD_INIT(rcu_node.blkd_tasks),
};

DEFINE_PER_CPU(struct rcu_data, rcu_data);

/*
 * Not for itself: it will look before it sleeps. Called with neither the node
 * nor a run queue locked.
 */
void rcu_gp_kthread_wake(void)
{
	struct task_struct *t = READ_ONCE(rcu_state.gp_kthread);

	if ((current == t && !in_hardirq() && !in_serving_softirq()) ||
	    !READ_ONCE(rcu_state.gp_flags) || !t)
		return;
	swake_up_one(&rcu_state.gp_wq);
}

static inline void trace_rcu_this_gp(struct rcu_node *rnp,
				     struct rcu_data *rdp,
				     unsigned long gp_seq_req, const char *s)
{
	trace_rcu_future_grace_period(rcu_state.name, rnp->gp_seq, gp_seq_req,
				      0, rcu_grplo(rdp->cpu),
				      rcu_grphi(rdp->cpu), s);
}

/* @cpu is not waited for any more. */
static inline void trace_rcu_qs_report(struct rcu_node *rnp, int cpu)
{
	trace_rcu_quiescent_state_report(rcu_state.name, rnp->gp_seq,
					 BIT_MASK(cpu), rcu_qsmask(rnp, cpu),
					 0, rcu_grplo(cpu), rcu_grphi(cpu),
					 rnp->gp_tasks != NULL);
}

/* With the node locked. Returns whether the thread must be woken for it. */
static bool rcu_start_this_gp(struct rcu_node *rnp, struct rcu_data *rdp,
			      unsigned long gp_seq_req)
{
	trace_rcu_this_gp(rnp, rdp, gp_seq_req, TPS("Startleaf"));
	if (ULONG_CMP_GE(rnp->gp_seq_needed, gp_seq_req)) {
		trace_rcu_this_gp(rnp, rdp, gp_seq_req, TPS("Prestarted"));
		return false;
	}
	rnp->gp_seq_needed = gp_seq_req;
	if (rcu_gp_in_progress()) {
		/* Its end will see it. */
		trace_rcu_this_gp(rnp, rdp, gp_seq_req, TPS("Startedleaf"));
		return false;
	}
	trace_rcu_this_gp(rnp, rdp, gp_seq_req, TPS("Startedroot"));
	WRITE_ONCE(rcu_state.gp_flags, rcu_state.gp_flags | RCU_GP_FLAG_INIT);
	if (!READ_ONCE(rcu_state.gp_kthread)) {
		trace_rcu_this_gp(rnp, rdp, gp_seq_req, TPS("NoGPkthread"));
		return false;
	}
	trace_rcu_grace_period(rcu_state.name, rcu_state.gp_seq, TPS("newreq"));
	return true;
}

/*
 * Gives all callbacks a grace period's number, and asks for that one. With the
 * node locked and interrupts off; true: the caller wakes the thread, without
 * the lock.
 */
bool rcu_accelerate_cbs(struct rcu_node *rnp, struct rcu_data *rdp)
{
	unsigned long gp_seq_req;
	bool ret = false;

	if (rcu_segcblist_restempty(&rdp->cblist, RCU_DONE_TAIL))
		return false;
	trace_rcu_segcb_stats(&rdp->cblist, TPS("SegCbPreAcc"));
	gp_seq_req = rcu_seq_snap(rcu_state.gp_seq);
	if (rcu_segcblist_accelerate(&rdp->cblist, gp_seq_req))
		ret = rcu_start_this_gp(rnp, rdp, gp_seq_req);
	if (trace_rcu_grace_period_enabled())
		trace_rcu_grace_period(rcu_state.name, gp_seq_req,
			rcu_segcblist_restempty(&rdp->cblist, RCU_WAIT_TAIL) ?
			TPS("AccWaitCB") : TPS("AccReadyCB"));
	trace_rcu_segcb_stats(&rdp->cblist, TPS("SegCbPostAcc"));
	return ret;
}

static __noclone bool rcu_advance_cbs(struct rcu_node *rnp,
				      struct rcu_data *rdp)
{
	if (rcu_segcblist_restempty(&rdp->cblist, RCU_DONE_TAIL))
		return false;
	rcu_segcblist_advance(&rdp->cblist, rnp->gp_seq);
	return rcu_accelerate_cbs(rnp, rdp);
}

/*
 * On the CPU of @rdp, with the node locked and interrupts off; true: the caller
 * wakes the thread, without the lock.
 */
static __noclone bool __note_gp_changes(struct rcu_node *rnp,
					struct rcu_data *rdp)
{
	bool need_qs, ret;

	if (rdp->gp_seq == rnp->gp_seq)
		return false;
	if (rcu_seq_completed_gp(rdp->gp_seq, rnp->gp_seq)) {
		ret = rcu_advance_cbs(rnp, rdp);
		rdp->core_needs_qs = false;
		trace_rcu_grace_period(rcu_state.name, rdp->gp_seq,
				       TPS("cpuend"));
	} else {
		ret = rcu_accelerate_cbs(rnp, rdp);
	}
	if (rcu_seq_new_gp(rdp->gp_seq, rnp->gp_seq)) {
		trace_rcu_grace_period(rcu_state.name, rnp->gp_seq,
				       TPS("cpustart"));
		need_qs = cpumask_test_cpu(rdp->cpu, &rnp->qsmask);
		rdp->cpu_no_qs = need_qs;
		rdp->core_needs_qs = need_qs;
	}
	rdp->gp_seq = rnp->gp_seq;
	return ret;
}

/* Has a grace period begun or ended that this CPU has not heard of? */
static void note_gp_changes(struct rcu_data *rdp)
{
	struct rcu_node *rnp = &rcu_node;
	unsigned long flags;
	bool needwake;

	local_irq_save(flags);
	if (rdp->gp_seq == READ_ONCE(rnp->gp_seq) ||
	    !raw_spin_trylock(&rnp->lock)) {
		local_irq_restore(flags);
		return;
	}
	needwake = __note_gp_changes(rnp, rdp);
	raw_spin_unlock_irqrestore(&rnp->lock, flags);
	if (needwake)
		rcu_gp_kthread_wake();
}

/*
 * Nothing holds the grace period up any more. Called with the node locked by
 * irqsave, and unlocks it.
 */
void rcu_report_qs_rsp(unsigned long flags)
{
	struct rcu_node *rnp = &rcu_node;

	WRITE_ONCE(rcu_state.gp_flags, rcu_state.gp_flags | RCU_GP_FLAG_FQS);
	raw_spin_unlock_irqrestore(&rnp->lock, flags);
	rcu_gp_kthread_wake();
}

/*
 * @cpu has been quiescent. Called with the node locked by irqsave, and unlocks
 * it.
 */
static __noclone void rcu_report_qs_rnp(int cpu, struct rcu_node *rnp,
					unsigned long flags)
{
	cpumask_clear_cpu(cpu, &rnp->qsmask);
	trace_rcu_qs_report(rnp, cpu);
	if (cpumask_empty(&rnp->qsmask) &&
	    !rcu_preempt_blocked_readers_cgp(rnp))
		rcu_report_qs_rsp(flags);
	else
		raw_spin_unlock_irqrestore(&rnp->lock, flags);
}

/* On the CPU of @rdp, which has been quiescent. Takes the node's lock. */
static void rcu_report_qs_rdp(struct rcu_data *rdp)
{
	struct rcu_node *rnp = &rcu_node;
	bool needwake = false;
	unsigned long flags;

	raw_spin_lock_irqsave(&rnp->lock, flags);
	if (rdp->cpu_no_qs || rdp->gp_seq != rnp->gp_seq) {
		/* It was for an earlier one. */
		rdp->cpu_no_qs = true;
		raw_spin_unlock_irqrestore(&rnp->lock, flags);
		return;
	}
	rdp->core_needs_qs = false;
	if (!cpumask_test_cpu(rdp->cpu, &rnp->qsmask)) {
		raw_spin_unlock_irqrestore(&rnp->lock, flags);
		return;
	}
	needwake = rcu_accelerate_cbs(rnp, rdp);
	rcu_report_qs_rnp(rdp->cpu, rnp, flags);
	if (needwake)
		rcu_gp_kthread_wake();
}

static void rcu_check_quiescent_state(struct rcu_data *rdp)
{
	note_gp_changes(rdp);
	if (rdp->core_needs_qs && !rdp->cpu_no_qs)
		rcu_report_qs_rdp(rdp);
}

/* Callbacks that nobody has asked a grace period for. */
static __noclone void rcu_accelerate_cbs_unlocked(struct rcu_node *rnp,
						  struct rcu_data *rdp)
{
	bool needwake;

	raw_spin_lock(&rnp->lock);
	needwake = rcu_accelerate_cbs(rnp, rdp);
	raw_spin_unlock(&rnp->lock);
	if (needwake)
		rcu_gp_kthread_wake();
}

/* RCU_SOFTIRQ, with interrupts on. */
void rcu_core(void)
{
	struct rcu_data *rdp = this_cpu_ptr(&rcu_data);
	unsigned long flags;

	trace_rcu_utilization(TPS("Start RCU core"));
	if (!(preempt_count() & PREEMPT_MASK))
		rcu_preempt_deferred_qs(current);
	rcu_check_quiescent_state(rdp);
	if (!rcu_gp_in_progress() &&
	    !rcu_segcblist_restempty(&rdp->cblist, RCU_NEXT_READY_TAIL)) {
		local_irq_save(flags);
		rcu_accelerate_cbs_unlocked(&rcu_node, rdp);
		local_irq_restore(flags);
	}
	if (rcu_segcblist_ready_cbs(&rdp->cblist))
		rcu_do_batch(rdp);
	trace_rcu_utilization(TPS("End RCU core"));
}

static void rcu_core_si(struct softirq_action *h)
{
	rcu_core();
}

void invoke_rcu_core(void)
{
	raise_softirq(RCU_SOFTIRQ);
}

/* Does this CPU have to do anything about RCU? */
static inline bool rcu_pending(int user)
{
	struct rcu_data *rdp = this_cpu_ptr(&rcu_data);
	bool gp_in_progress = rcu_gp_in_progress();

	if (rdp->core_needs_qs && !rdp->cpu_no_qs && gp_in_progress)
		return true;
	if (rcu_segcblist_ready_cbs(&rdp->cblist))
		return true;
	if (!gp_in_progress &&
	    !rcu_segcblist_restempty(&rdp->cblist, RCU_NEXT_READY_TAIL))
		return true;
	return READ_ONCE(rcu_node.gp_seq) != rdp->gp_seq;
}

/* From the tick, with interrupts off. */
void rcu_sched_clock_irq(int user)
{
	trace_rcu_utilization(TPS("Start scheduler-tick"));
	rcu_flavor_sched_clock_irq(user);
	if (rcu_pending(user))
		invoke_rcu_core();
	trace_rcu_utilization(TPS("End scheduler-tick"));
}

/* With callbacks waiting, an idle CPU keeps its tick. */
int rcu_needs_cpu(void)
{
	return !rcu_segcblist_empty(&this_cpu_ptr(&rcu_data)->cblist);
}

/* The thread's, with no lock held. False: there was none to begin. */
static bool rcu_gp_init(void)
{
	struct rcu_node *rnp = &rcu_node;
	int cpu;

	raw_spin_lock_irq(&rnp->lock);
	if (!rcu_state.gp_flags || rcu_gp_in_progress()) {
		raw_spin_unlock_irq(&rnp->lock);
		return false;
	}
	WRITE_ONCE(rcu_state.gp_flags, 0);
	rcu_state.gp_start = jiffies;
	rcu_state.jiffies_stall = jiffies + RCU_STALL_TIMEOUT;
	rcu_seq_start(&rcu_state.gp_seq);
	trace_rcu_grace_period(rcu_state.name, rcu_state.gp_seq, TPS("start"));
	cpumask_copy(&rnp->qsmask, cpu_online_mask);
	rcu_preempt_check_blocked_tasks(rnp);
	WRITE_ONCE(rnp->gp_seq, rcu_state.gp_seq);
	__note_gp_changes(rnp, this_cpu_ptr(&rcu_data));
	for (cpu = 0; cpu < nr_cpu_ids; cpu += BITS_PER_LONG)
		trace_rcu_grace_period_init(rcu_state.name, rnp->gp_seq, 0,
					    rcu_grplo(cpu), rcu_grphi(cpu),
					    rcu_qsmask(rnp, cpu));
	raw_spin_unlock_irq(&rnp->lock);
	return true;
}

static bool dyntick_save_progress_counter(struct rcu_data *rdp)
{
	rdp->dynticks_snap = rcu_dynticks_snap(rdp->cpu);
	if (!rcu_dynticks_in_eqs(rdp->dynticks_snap))
		return false;
	trace_rcu_fqs(rcu_state.name, rdp->gp_seq, rdp->cpu, TPS("dti"));
	return true;
}

static bool rcu_implicit_dynticks_qs(struct rcu_data *rdp)
{
	if (!rcu_dynticks_in_eqs_since(rdp->cpu, rdp->dynticks_snap))
		return false;
	trace_rcu_fqs(rcu_state.name, rdp->gp_seq, rdp->cpu, TPS("dti"));
	return true;
}

/*
 * Reports for the CPUs for which @f finds that they have been idle. Called with
 * no lock held.
 */
static void force_qs_rnp(bool (*f)(struct rcu_data *rdp))
{
	struct rcu_node *rnp = &rcu_node;
	unsigned long flags;
	int cpu;

	raw_spin_lock_irqsave(&rnp->lock, flags);
	for_each_cpu(cpu, &rnp->qsmask)
		if (f(per_cpu_ptr(&rcu_data, cpu))) {
			cpumask_clear_cpu(cpu, &rnp->qsmask);
			trace_rcu_qs_report(rnp, cpu);
		}
	if (cpumask_empty(&rnp->qsmask) &&
	    !rcu_preempt_blocked_readers_cgp(rnp))
		rcu_report_qs_rsp(flags);
	else
		raw_spin_unlock_irqrestore(&rnp->lock, flags);
}

static void rcu_gp_fqs(bool first_time)
{
	struct rcu_node *rnp = &rcu_node;

	if (first_time)
		force_qs_rnp(dyntick_save_progress_counter);
	else
		force_qs_rnp(rcu_implicit_dynticks_qs);
	if (READ_ONCE(rcu_state.gp_flags) & RCU_GP_FLAG_FQS) {
		raw_spin_lock_irq(&rnp->lock);
		WRITE_ONCE(rcu_state.gp_flags,
			   rcu_state.gp_flags & ~RCU_GP_FLAG_FQS);
		raw_spin_unlock_irq(&rnp->lock);
	}
}

static inline bool rcu_gp_fqs_check_wake(void)
{
	struct rcu_node *rnp = &rcu_node;

	if (READ_ONCE(rcu_state.gp_flags) & RCU_GP_FLAG_FQS)
		return true;
	return cpumask_empty(&rnp->qsmask) &&
	       !rcu_preempt_blocked_readers_cgp(rnp);
}

/* A grace period that takes this long is somebody's mistake. */
static void print_cpu_stall(void)
{
	struct rcu_node *rnp = &rcu_node;
	int cpu;

	if (time_before(jiffies, rcu_state.jiffies_stall))
		return;
	rcu_state.jiffies_stall = jiffies + 3 * RCU_STALL_TIMEOUT;
	trace_rcu_stall_warning(rcu_state.name, TPS("StallDetected"));
	printk("rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n");
	for_each_cpu(cpu, &rnp->qsmask)
		printk("rcu: \t%d-...!: (%s)\n", cpu, "no quiescent state");
	if (rcu_preempt_blocked_readers_cgp(rnp))
		printk("rcu: \tTasks blocked on the grace period\n");
	printk("rcu: \t(detected by %d, t=%lu jiffies, g=%ld)\n",
	       smp_processor_id(), jiffies - rcu_state.gp_start,
	       (long)rcu_state.gp_seq >> RCU_SEQ_CTR_SHIFT);
}

/* Sleeps until nobody holds the grace period up any more. */
static void rcu_gp_fqs_loop(void)
{
	struct rcu_node *rnp = &rcu_node;
	bool first = true;

	for (;;) {
		trace_rcu_grace_period(rcu_state.name, rcu_state.gp_seq,
				       TPS("fqswait"));
		swait_event_idle_timeout_exclusive(rcu_state.gp_wq,
				rcu_gp_fqs_check_wake(),
				RCU_JIFFIES_TILL_FORCE_QS);
		if (cpumask_empty(&rnp->qsmask) &&
		    !rcu_preempt_blocked_readers_cgp(rnp))
			return;
		trace_rcu_grace_period(rcu_state.name, rcu_state.gp_seq,
				       TPS("fqsstart"));
		rcu_gp_fqs(first);
		first = false;
		trace_rcu_grace_period(rcu_state.name, rcu_state.gp_seq,
				       TPS("fqsend"));
		print_cpu_stall();
	}
}

/* With no lock held. What was asked for meanwhile begins next. */
static void rcu_gp_cleanup(void)
{
	struct rcu_node *rnp = &rcu_node;
	struct rcu_data *rdp;

	raw_spin_lock_irq(&rnp->lock);
	rdp = this_cpu_ptr(&rcu_data);
	trace_rcu_grace_period(rcu_state.name, rcu_state.gp_seq, TPS("end"));
	WRITE_ONCE(rcu_state.gp_seq, rcu_seq_endval(rcu_state.gp_seq));
	WRITE_ONCE(rnp->gp_seq, rcu_state.gp_seq);
	WRITE_ONCE(rcu_state.gp_flags, 0);
	__note_gp_changes(rnp, rdp);
	rcu_accelerate_cbs(rnp, rdp);
	if (ULONG_CMP_LT(rnp->gp_seq, rnp->gp_seq_needed)) {
		trace_rcu_this_gp(rnp, rdp, rnp->gp_seq_needed,
				  TPS("CleanupMore"));
		WRITE_ONCE(rcu_state.gp_flags, RCU_GP_FLAG_INIT);
		trace_rcu_grace_period(rcu_state.name, rcu_state.gp_seq,
				       TPS("newreq"));
	}
	raw_spin_unlock_irq(&rnp->lock);
}

static int rcu_gp_kthread(void *unused)
{
	for (;;) {
		do {
			trace_rcu_grace_period(rcu_state.name, rcu_state.gp_seq,
					       TPS("reqwait"));
			swait_event_idle_exclusive(rcu_state.gp_wq,
					READ_ONCE(rcu_state.gp_flags) &
					RCU_GP_FLAG_INIT);
		} while (!rcu_gp_init());
		rcu_gp_fqs_loop();
		rcu_gp_cleanup();
	}
	return 0;
}

static int __init rcu_spawn_gp_kthread(void)
{
	struct task_struct *t;

	t = kthread_create(rcu_gp_kthread, NULL, "%s", "rcu_preempt");
	if (IS_ERR(t))
		return PTR_ERR(t);
	WRITE_ONCE(rcu_state.gp_kthread, t);
	wake_up_process(t);
	return 0;
}
early_initcall(rcu_spawn_gp_kthread);

void __init rcu_init(void)
{
	struct rcu_data *rdp;
	int cpu;

	for_each_possible_cpu(cpu) {
		rdp = per_cpu_ptr(&rcu_data, cpu);
		rdp->cpu = cpu;
		rdp->gp_seq = rcu_state.gp_seq;
		rcu_segcblist_init(&rdp->cblist);
	}
	open_softirq(RCU_SOFTIRQ, rcu_core_si);
}
