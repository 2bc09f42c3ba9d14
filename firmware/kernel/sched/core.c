/* SPDX-License-Identifier: GPL-2.0-only */
/* The scheduler: who runs on this CPU, and switching to it. */
#include <linux/blkdev.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/osnoise.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/tlbflush.h>
#include <linux/workqueue.h>
#include <linux/uaccess.h>
#include <linux/string.h>
#include <asm/processor.h>
#include <asm/switch_to.h>
#include "sched.h"
#include "stats.h"

#define CREATE_TRACE_POINTS
#include <trace/events/sched.h>

/* At the far end of every stack; gone if something ran over it. */
#define STACK_END_MAGIC		0x57ac6e9dUL

DEFINE_PER_CPU(struct rq, runqueues);
struct task_struct *idle_tasks[NR_CPUS];

void raw_spin_rq_lock_nested(struct rq *rq)
{
	raw_spin_lock(&rq->__lock);
}

void raw_spin_rq_unlock(struct rq *rq)
{
	raw_spin_unlock(&rq->__lock);
}

void update_rq_clock(struct rq *rq)
{
	u64 clock = sched_clock();

	/* Read on another CPU: clocks differ, a queue's never goes back. */
	if (clock > rq->clock)
		rq->clock = clock;
}

/*
 * Makes the queue's CPU reschedule as soon as it may. Called with the queue
 * locked.
 */
void resched_curr(struct rq *rq)
{
	struct task_struct *curr = rq->curr;

	if (test_and_set_bit(TIF_NEED_RESCHED, &curr->thread_info_flags))
		return;
	if (rq->cpu == smp_processor_id())
		set_preempt_need_resched();
	else
		smp_send_reschedule(rq->cpu);
}

/* What a rescheduling interrupt finds: the flag without the folded bit. */
void scheduler_ipi(void)
{
	if (need_resched())
		set_preempt_need_resched();
}

/*
 * Called with p->pi_lock held; returns with the queue locked that @p is on. @p
 * may move while this waits for a lock, and is waited for while it is between
 * two queues.
 */
struct rq *__task_rq_lock(struct task_struct *p)
{
	struct rq *rq;

	for (;;) {
		rq = task_rq(p);
		raw_spin_rq_lock(rq);
		if (likely(rq == task_rq(p) && !task_on_rq_migrating(p)))
			return rq;
		raw_spin_rq_unlock(rq);
		while (unlikely(task_on_rq_migrating(p)))
			cpu_relax();
	}
}

/*
 * Returns with p->pi_lock and its queue's lock held, interrupts off: @p is
 * neither moved nor woken.
 */
struct rq *task_rq_lock(struct task_struct *p, unsigned long *flags)
{
	raw_spin_lock_irqsave(&p->pi_lock, *flags);
	return __task_rq_lock(p);
}

void task_rq_unlock(struct rq *rq, struct task_struct *p, unsigned long *flags)
{
	raw_spin_rq_unlock(rq);
	raw_spin_unlock_irqrestore(&p->pi_lock, *flags);
}

/*
 * Called with this_rq locked and interrupts off; returns with both locked.
 * True: this_rq was let go meanwhile. Lower CPU first, so that two that do this
 * cannot wait for each other.
 */
bool double_lock_balance(struct rq *this_rq, struct rq *busiest)
{
	if (raw_spin_trylock(&busiest->__lock))
		return false;
	if (this_rq->cpu < busiest->cpu) {
		raw_spin_rq_lock(busiest);
		return false;
	}
	raw_spin_rq_unlock(this_rq);
	raw_spin_rq_lock(busiest);
	raw_spin_rq_lock(this_rq);
	return true;
}

void double_unlock_balance(struct rq *this_rq, struct rq *busiest)
{
	raw_spin_rq_unlock(busiest);
}

/* All of it, so that the usual way has nothing to keep for later. */
static notrace void enqueue_counted_task(struct rq *rq, struct task_struct *p,
					 int flags)
{
	update_stats_enqueue(rq, p, flags);
	p->sched_class->enqueue_task(rq, p, flags);
}

static notrace void dequeue_counted_task(struct rq *rq, struct task_struct *p,
					 int flags)
{
	p->sched_class->dequeue_task(rq, p, flags);
	update_stats_dequeue(rq, p, flags);
}

/* With the queue locked. */
inline void enqueue_task(struct rq *rq, struct task_struct *p, int flags)
{
	if (!(flags & ENQUEUE_NOCLOCK))
		update_rq_clock(rq);
	if (schedstat_enabled())
		enqueue_counted_task(rq, p, flags);
	else
		p->sched_class->enqueue_task(rq, p, flags);
}

inline void dequeue_task(struct rq *rq, struct task_struct *p, int flags)
{
	if (!(flags & DEQUEUE_NOCLOCK))
		update_rq_clock(rq);
	if (schedstat_enabled())
		dequeue_counted_task(rq, p, flags);
	else
		p->sched_class->dequeue_task(rq, p, flags);
}

/* With the queue locked, and the task on no other queue. */
void activate_task(struct rq *rq, struct task_struct *p, int flags)
{
	enqueue_task(rq, p, flags);
	WRITE_ONCE(p->on_rq, TASK_ON_RQ_QUEUED);
}

/*
 * With the queue locked. What does not sleep is the caller's to enqueue again.
 */
void deactivate_task(struct rq *rq, struct task_struct *p, int flags)
{
	WRITE_ONCE(p->on_rq,
		   flags & DEQUEUE_SLEEP ? 0 : TASK_ON_RQ_MIGRATING);
	dequeue_task(rq, p, flags);
}

/* With the queue locked that @p is on. */
void check_preempt_curr(struct rq *rq, struct task_struct *p, int flags)
{
	if (p->sched_class == rq->curr->sched_class)
		p->sched_class->check_preempt_curr(rq, p, flags);
	else if (sched_class_above(p->sched_class, rq->curr->sched_class))
		resched_curr(rq);
}

/* From the tick, with interrupts off and no queue locked. */
void scheduler_tick(void)
{
	struct rq *rq = this_rq();
	struct task_struct *curr = rq->curr;

	raw_spin_rq_lock(rq);
	update_rq_clock(rq);
	curr->sched_class->task_tick(rq, curr);
	raw_spin_rq_unlock(rq);
	trigger_load_balance(rq);
}

static inline void clear_tsk_need_resched(struct task_struct *p)
{
	clear_bit(TIF_NEED_RESCHED, &p->thread_info_flags);
}

static __always_inline void schedule_debug(struct task_struct *prev)
{
	if (unlikely(*(unsigned long *)prev->stack != STACK_END_MAGIC))
		panic("corrupted stack end detected inside scheduler");
	if (unlikely(preempt_count() != PREEMPT_OFFSET))
		panic("scheduling while atomic: %s/%d/%08x", prev->comm,
		      prev->pid, preempt_count());
}

void set_task_stack_end_magic(struct task_struct *p)
{
	*(unsigned long *)p->stack = STACK_END_MAGIC;
}

/*
 * From the class of @prev downwards: none above it has anything to run. Called
 * with the queue locked; a class may let the lock go and take it again.
 */
static void put_prev_task_balance(struct rq *rq, struct task_struct *prev)
{
	const struct sched_class *class;

	for_class_range(class, prev->sched_class)
		if (class->balance(rq, prev))
			break;
	put_prev_task(rq, prev);
}

/*
 * Called with the queue locked and interrupts off. The lock may be let go and
 * taken again to get tasks from other CPUs. Never NULL: the idle task is always
 * there.
 */
static struct task_struct *__pick_next_task(struct rq *rq,
					    struct task_struct *prev)
{
	const struct sched_class *class;
	struct task_struct *p;

	/* Nearly always all tasks are fair. */
	if (likely(!sched_class_above(prev->sched_class, &fair_sched_class) &&
		   rq->nr_running == rq->cfs.nr_running)) {
		p = pick_next_task_fair(rq, prev);
		if (unlikely(IS_ERR(p)))
			goto restart;
		if (!p) {
			put_prev_task(rq, prev);
			p = pick_next_task_idle(rq);
		}
		return p;
	}
restart:
	put_prev_task_balance(rq, prev);
	for_each_class(class) {
		p = class->pick_next_task(rq);
		if (p)
			return p;
	}
	BUG();
}

static inline struct task_struct *pick_next_task(struct rq *rq,
						 struct task_struct *prev)
{
	return __pick_next_task(rq, prev);
}

/* With the queue locked; the lock may be let go and taken again. */
void __balance_callbacks(struct rq *rq)
{
	unsigned int what = rq->balance_callback;

	if (likely(!what))
		return;
	rq->balance_callback = 0;
	if (what & BALANCE_PULL_DL)
		pull_dl_task(rq);
	if (what & BALANCE_PULL_RT)
		pull_rt_task(rq);
	if (what & BALANCE_PUSH_DL)
		push_dl_tasks(rq);
	if (what & BALANCE_PUSH_RT)
		push_rt_tasks(rq);
}

/*
 * Called by the task that runs now, with rq->lock held and interrupts off;
 * returns with both released. From on_cpu's end @prev may run elsewhere. If it
 * is dead, its stack is freed here, and one of its two references dropped.
 */
static void finish_task_switch(struct task_struct *prev)
{
	struct rq *rq = this_rq();
	struct mm_struct *mm = rq->prev_mm;
	unsigned int prev_state = READ_ONCE(prev->__state);

	rq->prev_mm = NULL;
	note_release(&prev->off_cpu);
	smp_store_release(&prev->on_cpu, 0);
	__balance_callbacks(rq);
	raw_spin_rq_unlock(rq);
	local_irq_enable();

	if (mm)
		mmdrop(mm);
	if (unlikely(prev_state == TASK_DEAD)) {
		if (prev->sched_class->task_dead)
			prev->sched_class->task_dead(prev);
		put_task_stack(prev);
		put_task_struct_rcu_user(prev);
	}
}

/* A new task's first steps, in place of the end of __schedule(). */
void schedule_tail(struct task_struct *prev)
{
	finish_task_switch(prev);
	preempt_enable();
	if (current->set_child_tid)
		put_user(current->pid, current->set_child_tid);
}

/*
 * Called with rq->lock held and interrupts off; returns with both released,
 * when @prev is switched to again.
 */
static __always_inline void context_switch(struct rq *rq,
					   struct task_struct *prev,
					   struct task_struct *next)
{
	prepare_arch_switch(next);
	if (!next->mm) {
		enter_lazy_tlb(prev->active_mm, next);
		next->active_mm = prev->active_mm;
		if (prev->mm)
			mmgrab(prev->active_mm);
		else
			prev->active_mm = NULL;
	} else {
		switch_mm_irqs_off(prev->active_mm, next->mm, next);
		if (!prev->mm) {
			rq->prev_mm = prev->active_mm;
			prev->active_mm = NULL;
		}
	}
	ftrace_sched_switch(prev, next);
	prev = switch_to(prev, next);
	barrier();
	finish_task_switch(prev);
}

/*
 * Called with preemption off (once) and interrupts on, without a lock; returns
 * so, maybe much later, on any CPU that the task may use. Who is dead does not
 * return.
 */
void __sched __schedule(unsigned int sched_mode)
{
	struct task_struct *prev, *next;
	unsigned long *switch_count;
	unsigned int prev_state;
	struct rq *rq = this_rq();

	prev = rq->curr;
	schedule_debug(prev);

	local_irq_disable();
	rcu_note_context_switch(sched_mode == SM_PREEMPT);
	raw_spin_rq_lock(rq);
	update_rq_clock(rq);

	switch_count = &prev->nivcsw;
	prev_state = READ_ONCE(prev->__state);
	if (sched_mode == SM_NONE && prev_state) {
		if (signal_pending_state(prev_state, prev)) {
			WRITE_ONCE(prev->__state, TASK_RUNNING);
		} else {
			prev->sched_contributes_to_load =
				prev_state & TASK_UNINTERRUPTIBLE &&
				!(prev_state & TASK_NOLOAD);
			if (prev->sched_contributes_to_load)
				rq->nr_uninterruptible++;
			deactivate_task(rq, prev,
					DEQUEUE_SLEEP | DEQUEUE_NOCLOCK);
		}
		switch_count = &prev->nvcsw;
	}

	next = pick_next_task(rq, prev);
	clear_tsk_need_resched(prev);
	clear_preempt_need_resched();
	if (likely(prev != next)) {
		rq->nr_switches++;
		++*switch_count;
		WRITE_ONCE(rq->curr, next);
		WRITE_ONCE(next->on_cpu, 1);
		if (schedstat_enabled())
			update_stats_switch(rq, prev, next);
		trace_sched_switch(sched_mode == SM_PREEMPT, prev, next,
				   prev_state);
		osnoise_sched_switch(prev, next);
		context_switch(rq, prev, next);
	} else {
		__balance_callbacks(rq);
		raw_spin_rq_unlock(rq);
		local_irq_enable();
	}
}

/*
 * The last switch: never returns. Stack and task are in use until the next task
 * drops the last reference. Who is dead must not be preempted first: it would
 * look as if that were the last switch.
 */
void do_task_dead(void)
{
	preempt_disable();
	exit_tasks_rcu_finish();
	/* A waker of before may still hold pi_lock and look at our state. */
	raw_spin_lock_irq(&current->pi_lock);
	WRITE_ONCE(current->__state, TASK_DEAD);
	raw_spin_unlock_irq(&current->pi_lock);
	__schedule(SM_NONE);
	BUG();
}

/*
 * A worker that is about to sleep lets another one start. Requests that a task
 * holds back go to the disk: it may be waiting for one of them.
 */
static inline void sched_submit_work(struct task_struct *p)
{
	if (!READ_ONCE(p->__state))
		return;
	if (p->flags & PF_WQ_WORKER)
		wq_worker_sleeping(p);
	blk_flush_plug(p->plug, true);
}

static inline void sched_update_worker(struct task_struct *p)
{
	if (p->flags & PF_WQ_WORKER)
		wq_worker_running(p);
}

/*
 * Called with preemption and interrupts on, without a lock. Sleeps in the state
 * that the caller has set; in TASK_RUNNING it only lets others run.
 */
void __sched schedule(void)
{
	struct task_struct *p = current;

	sched_submit_work(p);
	do {
		sched_preempt_disable();
		__schedule(SM_NONE);
		sched_preempt_enable_no_resched();
	} while (need_resched());
	sched_update_worker(p);
}

/* For who waits in a section that must not be preempted: off again after. */
void __sched schedule_preempt_disabled(void)
{
	preempt_enable_no_resched();
	schedule();
	preempt_disable();
}

/* The idle task's: it has preemption off already and never sleeps. */
void __sched schedule_idle(void)
{
	do {
		__schedule(SM_NONE);
	} while (need_resched());
}

/* The stack, the run queue and the place in the list of all tasks. */
void init_idle(struct task_struct *idle, int cpu)
{
	struct rq *rq = cpu_rq(cpu);

	idle->flags |= PF_IDLE;
	idle->sched_class = &idle_sched_class;
	idle->prio = DEFAULT_PRIO;
	idle->normal_prio = DEFAULT_PRIO;
	idle->static_prio = DEFAULT_PRIO;
	cpumask_clear(&idle->cpus_mask);
	cpumask_set_cpu(cpu, &idle->cpus_mask);
	idle->nr_cpus_allowed = 1;
	idle->on_rq = TASK_ON_RQ_QUEUED;
	idle->on_cpu = 1;
	idle->cpu = cpu;
	WRITE_ONCE(idle->__state, TASK_RUNNING);
	snprintf(idle->comm, sizeof(idle->comm), "swapper/%d", cpu);
	rq->idle = idle;
	rq->curr = idle;
	idle_tasks[cpu] = idle;
}

void sched_init(void)
{
	struct rq *rq;
	int cpu;

	for_each_possible_cpu(cpu) {
		rq = cpu_rq(cpu);
		raw_spin_lock_init(&rq->__lock);
		rq->cpu = cpu;
		init_cfs_rq(&rq->cfs);
		init_rt_rq(&rq->rt);
		init_dl_rq(&rq->dl);
		init_balance(rq);
	}
	init_rt_bandwidth();
	open_softirq(SCHED_SOFTIRQ, run_rebalance_domains);
	mmgrab(&init_mm);
	current->active_mm = &init_mm;
	set_task_stack_end_magic(current);
	init_idle(current, 0);
}
