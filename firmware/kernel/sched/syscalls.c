/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on priorities, CPUs and yielding. */
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include "sched.h"

static void do_sched_yield(void)
{
	struct rq *rq;

	local_irq_disable();
	rq = this_rq();
	raw_spin_rq_lock(rq);
	current->sched_class->yield_task(rq);
	sched_preempt_disable();
	raw_spin_rq_unlock(rq);
	local_irq_enable();
	sched_preempt_enable_no_resched();
	schedule();
}

SYSCALL_DEFINE0(sched_yield)
{
	do_sched_yield();
	return 0;
}

/* Whether the process is one of those meant. There is one user. */
static bool prio_applies(const struct task_struct *p, int which, int who)
{
	if (which == PRIO_PGRP)
		return task_pgrp_nr(p) == (who ? who : task_pgrp_nr(current));
	return !who;
}

/* The next one after the number @after, referenced, or NULL. */
static struct task_struct *next_prio_task(int which, int who, pid_t *after)
{
	struct task_struct *p, *found = NULL;

	if (which == PRIO_PROCESS) {
		if (*after)
			return NULL;
		*after = 1;
		return who ? find_get_task_by_vpid(who) :
			     get_task_struct(current);
	}
	spin_lock(&tasklist_lock);
	for_each_process(p)
		if (p->pid > *after && prio_applies(p, which, who) &&
		    (!found || p->pid < found->pid))
			found = p;
	if (found) {
		get_task_struct(found);
		*after = found->pid;
	}
	spin_unlock(&tasklist_lock);
	return found;
}

SYSCALL_DEFINE3(setpriority, int, which, int, who, int, niceval)
{
	struct task_struct *p;
	int err = -ESRCH;
	pid_t after = 0;

	if (which > PRIO_USER || which < PRIO_PROCESS)
		return -EINVAL;
	while ((p = next_prio_task(which, who, &after))) {
		set_user_nice(p, clamp(niceval, MIN_NICE, MAX_NICE));
		put_task_struct(p);
		err = 0;
	}
	return err;
}

/* 20 less the lowest nice, so that no result looks like an error. */
SYSCALL_DEFINE2(getpriority, int, which, int, who)
{
	struct task_struct *p;
	long ret = -ESRCH;
	pid_t after = 0;

	if (which > PRIO_USER || which < PRIO_PROCESS)
		return -EINVAL;
	while ((p = next_prio_task(which, who, &after))) {
		ret = max(ret, MAX_NICE + 1L - task_nice(p));
		put_task_struct(p);
	}
	return ret;
}

SYSCALL_DEFINE1(nice, int, increment)
{
	long nice;

	increment = clamp(increment, -40, 40);
	nice = clamp(task_nice(current) + increment, MIN_NICE, MAX_NICE);
	set_user_nice(current, nice);
	return 0;
}

/* What is missing in a short mask is zero. */
static int get_user_cpu_mask(const unsigned long __user *user_mask,
			     unsigned int len, struct cpumask *mask)
{
	cpumask_clear(mask);
	len = min_t(unsigned int, len, sizeof(*mask));
	return copy_from_user(mask, user_mask, len) ? -EFAULT : 0;
}

SYSCALL_DEFINE3(sched_setaffinity, pid_t, pid, unsigned int, len,
		unsigned long __user *, user_mask_ptr)
{
	struct cpumask mask;
	int err = get_user_cpu_mask(user_mask_ptr, len, &mask);

	return err ? err : sched_setaffinity(pid, &mask);
}

SYSCALL_DEFINE3(sched_getaffinity, pid_t, pid, unsigned int, len,
		unsigned long __user *, user_mask_ptr)
{
	struct cpumask mask;
	long ret;

	if (len % sizeof(unsigned long) || len * 8 < nr_cpu_ids)
		return -EINVAL;
	ret = sched_getaffinity(pid, &mask);
	if (ret)
		return ret;
	len = min_t(unsigned int, len, sizeof(mask));
	return copy_to_user(user_mask_ptr, &mask, len) ? -EFAULT : (long)len;
}

struct getcpu_cache;	/* programs kept what this had said in it */

SYSCALL_DEFINE3(getcpu, unsigned __user *, cpup,
		unsigned __user *, nodep, struct getcpu_cache __user *, unused)
{
	unsigned int cpu = raw_smp_processor_id();

	if (cpup && put_user(cpu, cpup))
		return -EFAULT;
	if (nodep && put_user(0, nodep))
		return -EFAULT;
	return 0;
}
