/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls of the scheduler. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include "sched.h"

SYSCALL_DEFINE0(sched_yield)
{
	do_sched_yield();
	return 0;
}

#define PRIO_PROCESS	0
#define MIN_NICE	-20
#define MAX_NICE	19

/* The weight counts in the queue's load while the task is on it. */
void set_user_nice(struct task_struct *p, int nice)
{
	unsigned long flags;
	struct rq *rq;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	rq = task_rq(p);
	raw_spin_rq_lock(rq);
	p->static_prio = DEFAULT_PRIO + nice;
	if (p->se.on_rq)
		rq->cfs.load += nice_to_weight(nice) - p->se.weight;
	p->se.weight = nice_to_weight(nice);
	raw_spin_rq_unlock(rq);
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
}

static struct task_struct *find_prio_task(int which, int who)
{
	if (which != PRIO_PROCESS)
		return NULL;
	return who ? find_get_task_by_vpid(who) : get_task_struct(current);
}

SYSCALL_DEFINE3(setpriority, int, which, int, who, int, niceval)
{
	struct task_struct *p = find_prio_task(which, who);

	if (!p)
		return which == PRIO_PROCESS ? -ESRCH : -EINVAL;
	set_user_nice(p, clamp(niceval, MIN_NICE, MAX_NICE));
	put_task_struct(p);
	return 0;
}

/* 20 less nice, so that no result looks like an error. */
SYSCALL_DEFINE2(getpriority, int, which, int, who)
{
	struct task_struct *p = find_prio_task(which, who);
	long ret;

	if (!p)
		return which == PRIO_PROCESS ? -ESRCH : -EINVAL;
	ret = 20 - (p->static_prio - DEFAULT_PRIO);
	put_task_struct(p);
	return ret;
}

SYSCALL_DEFINE3(sched_getaffinity, pid_t, pid, unsigned int, len,
		unsigned long __user *, user_mask)
{
	struct task_struct *p = find_prio_task(PRIO_PROCESS, pid);
	struct cpumask mask;
	unsigned int i;

	if (!p)
		return -ESRCH;
	for (i = 0; i < BITS_TO_LONGS(NR_CPUS); i++)
		mask.bits[i] = p->cpus_mask.bits[i] & cpu_online_mask->bits[i];
	put_task_struct(p);
	if (len % sizeof(unsigned long) || len * 8 < nr_cpu_ids)
		return -EINVAL;
	len = min_t(unsigned int, len, sizeof(mask));
	return copy_to_user(user_mask, &mask, len) ? -EFAULT : (long)len;
}
