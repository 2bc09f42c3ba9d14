/* SPDX-License-Identifier: GPL-2.0-only */
/* Where tasks may run, and moving those that run elsewhere. */
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include "sched.h"

bool is_cpu_allowed(struct task_struct *p, int cpu)
{
	return cpumask_test_cpu(cpu, &p->cpus_mask) && cpu_online(cpu);
}

/* None was chosen that it may run on; masks always have one that is online. */
int select_fallback_rq(int cpu, struct task_struct *p)
{
	int dest;

	for_each_cpu(dest, &p->cpus_mask)
		if (cpu_online(dest))
			return dest;
	return cpu;
}

void set_cpus_allowed_common(struct task_struct *p, const struct cpumask *mask)
{
	int cpu;

	p->cpus_mask = *mask;
	p->nr_cpus_allowed = 0;
	for_each_cpu(cpu, mask)
		p->nr_cpus_allowed++;
}

/* With pi_lock held, and the queue's too if it is on one. */
void do_set_cpus_allowed(struct task_struct *p, const struct cpumask *mask)
{
	struct rq *rq = task_rq(p);
	bool queued = task_on_rq_queued(p), running = task_current(rq, p);

	if (queued)
		dequeue_task(rq, p, DEQUEUE_SAVE | DEQUEUE_NOCLOCK);
	if (running)
		put_prev_task(rq, p);
	p->sched_class->set_cpus_allowed(p, mask);
	if (queued)
		enqueue_task(rq, p, ENQUEUE_RESTORE | ENQUEUE_NOCLOCK);
	if (running)
		set_next_task(rq, p);
}

/*
 * Called with @rq locked and interrupts off, on which @p waits; returns with
 * the new queue locked, and only that.
 */
struct rq *move_queued_task(struct rq *rq, struct task_struct *p, int new_cpu)
{
	deactivate_task(rq, p, DEQUEUE_NOCLOCK);
	set_task_cpu(p, new_cpu);
	raw_spin_rq_unlock(rq);

	rq = cpu_rq(new_cpu);
	raw_spin_rq_lock(rq);
	update_rq_clock(rq);
	activate_task(rq, p, ENQUEUE_NOCLOCK);
	check_preempt_curr(rq, p, 0);
	return rq;
}

static struct rq *__migrate_task(struct rq *rq, struct task_struct *p,
				 int dest_cpu)
{
	if (!is_cpu_allowed(p, dest_cpu))
		return rq;
	return move_queued_task(rq, p, dest_cpu);
}

/*
 * The stopper's, with preemption off: whoever ran here does not now, and so can
 * be moved. If the task sleeps, its waker will find out where it may run.
 */
int migration_cpu_stop(void *data)
{
	struct migration_arg *arg = data;
	struct task_struct *p = arg->task;
	struct rq *rq = this_rq();
	unsigned long flags;

	local_irq_save(flags);
	raw_spin_lock(&p->pi_lock);
	raw_spin_rq_lock(rq);
	if (task_rq(p) == rq && task_on_rq_queued(p)) {
		update_rq_clock(rq);
		rq = __migrate_task(rq, p, arg->dest_cpu);
	}
	raw_spin_rq_unlock(rq);
	raw_spin_unlock(&p->pi_lock);
	local_irq_restore(flags);
	return 0;
}

/* Any of the mask's, the one where it is if that is in it. */
static int any_cpu_of(struct task_struct *p, const struct cpumask *mask)
{
	int cpu;

	if (cpumask_test_cpu(task_cpu(p), mask))
		return task_cpu(p);
	for_each_cpu(cpu, mask)
		if (cpu_online(cpu))
			break;
	return cpu;
}

/*
 * The mask has changed: the task leaves a CPU that is no longer in it. Called
 * with what task_rq_lock() took, which is released. May then wait for the
 * stopper.
 */
static int affine_move_task(struct rq *rq, struct task_struct *p,
			    unsigned long *flags, int dest_cpu)
{
	struct migration_arg arg = { .task = p, .dest_cpu = dest_cpu };
	int ret = 0;

	if (cpumask_test_cpu(task_cpu(p), &p->cpus_mask)) {
		task_rq_unlock(rq, p, flags);
	} else if (READ_ONCE(p->on_cpu) || p->__state == TASK_WAKING) {
		get_task_struct(p);
		task_rq_unlock(rq, p, flags);
		ret = stop_one_cpu(cpu_of(rq), migration_cpu_stop, &arg);
		put_task_struct(p);
	} else {
		if (task_on_rq_queued(p))
			rq = move_queued_task(rq, p, dest_cpu);
		task_rq_unlock(rq, p, flags);
	}
	return ret;
}

/* Called with no lock held. May sleep until the stopper has moved @p. */
static int __set_cpus_allowed_ptr(struct task_struct *p,
				  const struct cpumask *mask)
{
	unsigned long flags;
	struct rq *rq = task_rq_lock(p, &flags);
	int dest_cpu = any_cpu_of(p, mask);

	update_rq_clock(rq);
	if (dest_cpu >= nr_cpu_ids) {
		task_rq_unlock(rq, p, &flags);
		return -EINVAL;
	}
	do_set_cpus_allowed(p, mask);
	return affine_move_task(rq, p, &flags, dest_cpu);
}

long sched_setaffinity(pid_t pid, const struct cpumask *in_mask)
{
	struct cpumask mask = {};
	struct task_struct *p;
	long ret = -EINVAL;
	int cpu;

	p = pid ? find_get_task_by_vpid(pid) : get_task_struct(current);
	if (!p)
		return -ESRCH;
	if (p->flags & PF_NO_SETAFFINITY)
		goto out;
	for_each_cpu(cpu, in_mask)
		if (cpumask_test_cpu(cpu, cpu_possible_mask))
			cpumask_set_cpu(cpu, &mask);
	/* A deadline task was admitted on the ground that it can go anywhere. */
	ret = -EBUSY;
	if (dl_task(p))
		for_each_online_cpu(cpu)
			if (!cpumask_test_cpu(cpu, &mask))
				goto out;
	ret = __set_cpus_allowed_ptr(p, &mask);
out:
	put_task_struct(p);
	return ret;
}

long sched_getaffinity(pid_t pid, struct cpumask *mask)
{
	struct task_struct *p;
	unsigned long flags;
	unsigned int i;

	p = pid ? find_get_task_by_vpid(pid) : get_task_struct(current);
	if (!p)
		return -ESRCH;
	raw_spin_lock_irqsave(&p->pi_lock, flags);
	for (i = 0; i < BITS_TO_LONGS(NR_CPUS); i++)
		mask->bits[i] = p->cpus_mask.bits[i] & cpu_online_mask->bits[i];
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	put_task_struct(p);
	return 0;
}
