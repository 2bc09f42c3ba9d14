/* SPDX-License-Identifier: GPL-2.0-only */
/* Waking tasks: choosing a CPU and putting them on its run queue. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/wake_q.h>
#include <trace/events/sched.h>
#include <asm/processor.h>
#include "sched.h"

/*
 * With p->pi_lock held, or the queue that @p leaves locked while it is
 * TASK_ON_RQ_MIGRATING.
 */
void set_task_cpu(struct task_struct *p, unsigned int new_cpu)
{
	if (task_cpu(p) == new_cpu)
		return;
	trace_sched_migrate_task(p, new_cpu);
	if (p->sched_class->migrate_task_rq)
		p->sched_class->migrate_task_rq(p, new_cpu);
	p->se.nr_migrations++;
	__set_task_cpu(p, new_cpu);
}

/* With p->pi_lock held and its queue locked. */
static void ttwu_do_wakeup(struct rq *rq, struct task_struct *p, int wake_flags)
{
	check_preempt_curr(rq, p, wake_flags);
	WRITE_ONCE(p->__state, TASK_RUNNING);
	trace_sched_wakeup(p);
	if (p->sched_class->task_woken)
		p->sched_class->task_woken(rq, p);
}

/* With p->pi_lock held and @rq locked, on which @p then is. */
static void ttwu_do_activate(struct rq *rq, struct task_struct *p,
			     int wake_flags)
{
	int en_flags = ENQUEUE_WAKEUP | ENQUEUE_NOCLOCK;

	if (p->sched_contributes_to_load)
		rq->nr_uninterruptible--;
	if (wake_flags & WF_MIGRATED)
		en_flags |= ENQUEUE_MIGRATED;
	activate_task(rq, p, en_flags);
	ttwu_do_wakeup(rq, p, wake_flags);
}

/*
 * It had set its state but has not been switched out: that is undone. Called
 * with p->pi_lock held; takes the queue's lock.
 */
static bool ttwu_runnable(struct task_struct *p, int wake_flags)
{
	struct rq *rq = __task_rq_lock(p);
	bool ret = false;

	if (p->on_rq) {
		update_rq_clock(rq);
		ttwu_do_wakeup(rq, p, wake_flags);
		ret = true;
	}
	raw_spin_rq_unlock(rq);
	return ret;
}

/*
 * Called with p->pi_lock held and interrupts off, when @p is on no queue and no
 * CPU; takes the lock of @cpu's queue.
 */
static void ttwu_queue(struct task_struct *p, int cpu, int wake_flags)
{
	struct rq *rq = cpu_rq(cpu);

	raw_spin_rq_lock(rq);
	update_rq_clock(rq);
	ttwu_do_activate(rq, p, wake_flags);
	raw_spin_rq_unlock(rq);
}

/* With p->pi_lock held, so that the mask stays. Takes no queue's lock. */
static inline int select_task_rq(struct task_struct *p, int cpu, int flags)
{
	if (p->nr_cpus_allowed > 1)
		cpu = p->sched_class->select_task_rq(p, cpu, flags);
	else
		cpu = cpumask_first(&p->cpus_mask);
	if (unlikely(!is_cpu_allowed(p, cpu)))
		cpu = select_fallback_rq(cpu, p);
	return cpu;
}

/*
 * Wakes @p if it is in one of @state's states; returns whether it was. Called
 * in any context but NMI, with no pi_lock or queue's lock held. pi_lock keeps
 * other wakers out, so the task goes on one queue only.
 */
int try_to_wake_up(struct task_struct *p, unsigned int state, int wake_flags)
{
	unsigned long flags;
	int cpu, success = 0;

	preempt_disable();
	if (p == current) {
		/* On its way to sleep, but still here. */
		if (READ_ONCE(p->__state) & state) {
			trace_sched_waking(p);
			WRITE_ONCE(p->__state, TASK_RUNNING);
			trace_sched_wakeup(p);
			success = 1;
		}
		goto out;
	}

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	smp_mb();
	if (!(READ_ONCE(p->__state) & state))
		goto unlock;
	trace_sched_waking(p);
	success = 1;
	if (READ_ONCE(p->on_rq) && ttwu_runnable(p, wake_flags))
		goto unlock;

	WRITE_ONCE(p->__state, TASK_WAKING);
	/* It is asleep, or will be as soon as its CPU has saved it. */
	while (smp_load_acquire(&p->on_cpu))
		cpu_relax();
	stall_until_release(&p->off_cpu);

	cpu = select_task_rq(p, task_cpu(p), wake_flags | WF_TTWU);
	if (task_cpu(p) != cpu) {
		wake_flags |= WF_MIGRATED;
		set_task_cpu(p, cpu);
	}
	ttwu_queue(p, cpu, wake_flags);
unlock:
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
out:
	preempt_enable();
	return success;
}

int wake_up_process(struct task_struct *p)
{
	return try_to_wake_up(p, TASK_NORMAL, 0);
}

int wake_up_state(struct task_struct *p, unsigned int state)
{
	return try_to_wake_up(p, state, 0);
}

static inline bool __wake_q_add(struct wake_q_head *head,
				struct task_struct *task)
{
	struct wake_q_node *node = &task->wake_q;

	if (cmpxchg(&node->next, NULL, WAKE_Q_TAIL))
		return false;
	*head->lastp = node;
	head->lastp = &node->next;
	return true;
}

void wake_q_add(struct wake_q_head *head, struct task_struct *task)
{
	if (__wake_q_add(head, task))
		get_task_struct(task);
}

void wake_q_add_safe(struct wake_q_head *head, struct task_struct *task)
{
	if (!__wake_q_add(head, task))
		put_task_struct(task);
}

void wake_up_q(struct wake_q_head *head)
{
	struct wake_q_node *node = head->first;
	struct task_struct *task;

	while (node != WAKE_Q_TAIL) {
		task = container_of(node, struct task_struct, wake_q);
		node = node->next;
		/* From here on it may be queued again. */
		xchg(&task->wake_q.next, NULL);
		wake_up_process(task);
		put_task_struct(task);
	}
}

/*
 * Until a task that is about to sleep does, and its registers are saved. May
 * sleep.
 */
void wait_task_inactive(struct task_struct *p)
{
	for (;;) {
		trace_sched_wait_task(p);
		if (!READ_ONCE(p->on_rq) && !smp_load_acquire(&p->on_cpu))
			break;
		schedule_timeout_uninterruptible(1);
	}
}

/* Makes a running task enter the kernel, to see what was changed for it. */
void kick_process(struct task_struct *p)
{
	int cpu;

	preempt_disable();
	cpu = task_cpu(p);
	if (cpu != smp_processor_id() && cpu_curr(cpu) == p)
		smp_send_reschedule(cpu);
	preempt_enable();
}

/* A new program has nothing in this CPU's caches: now is a good time to move. */
void sched_exec(void)
{
	struct task_struct *p = current;
	struct migration_arg arg = { .task = p };
	unsigned long flags;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	arg.dest_cpu = select_task_rq(p, task_cpu(p), WF_EXEC);
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	if (arg.dest_cpu != raw_smp_processor_id())
		stop_one_cpu(task_cpu(p), migration_cpu_stop, &arg);
}

/*
 * A forked task goes where the load is lowest. It is TASK_NEW: nobody else
 * wakes it.
 */
void wake_up_new_task(struct task_struct *p)
{
	unsigned long flags;
	struct rq *rq;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	WRITE_ONCE(p->__state, TASK_RUNNING);
	__set_task_cpu(p, select_task_rq(p, task_cpu(p), WF_FORK));
	rq = task_rq(p);
	raw_spin_rq_lock(rq);
	update_rq_clock(rq);
	activate_task(rq, p, ENQUEUE_NOCLOCK | ENQUEUE_INITIAL);
	trace_sched_wakeup_new(p);
	check_preempt_curr(rq, p, WF_FORK);
	if (p->sched_class->task_woken)
		p->sched_class->task_woken(rq, p);
	raw_spin_rq_unlock(rq);
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
}
