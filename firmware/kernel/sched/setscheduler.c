/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing the class of a task and what belongs to it. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/time.h>
#include <linux/uaccess.h>
#include "sched.h"

/* To keep the policy that a task has. */
#define SETPARAM_POLICY	-1

static inline bool valid_policy(int policy)
{
	return idle_policy(policy) || fair_policy(policy) ||
	       rt_policy(policy) || dl_policy(policy);
}

static void __setscheduler_params(struct task_struct *p,
				  const struct sched_attr *attr, int policy)
{
	p->policy = policy;
	if (dl_policy(policy))
		__setparam_dl(p, attr);
	else if (fair_policy(policy))
		p->static_prio = NICE_TO_PRIO(attr->sched_nice);
	p->rt_priority = attr->sched_priority;
	p->normal_prio = __normal_prio(policy, attr->sched_priority,
				       PRIO_TO_NICE(p->static_prio));
	set_load_weight(p);
}

static int check_attr(const struct sched_attr *attr, int policy)
{
	if (attr->sched_flags & ~(u64)SCHED_FLAG_ALL || !valid_policy(policy))
		return -EINVAL;
	if (attr->sched_priority > MAX_RT_PRIO - 1)
		return -EINVAL;
	if ((dl_policy(policy) && !__checkparam_dl(attr)) ||
	    rt_policy(policy) != (attr->sched_priority != 0))
		return -EINVAL;
	return 0;
}

/* Nothing is to be changed but perhaps what children get. */
static bool attr_unchanged(struct task_struct *p, const struct sched_attr *attr,
			   int policy)
{
	if (policy != p->policy)
		return false;
	if (fair_policy(policy))
		return attr->sched_nice == task_nice(p);
	if (rt_policy(policy))
		return attr->sched_priority == p->rt_priority;
	return !dl_policy(policy) || !dl_param_changed(p, attr);
}

/* A deadline task must be free to go anywhere. */
static bool may_run_everywhere(const struct task_struct *p)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (!cpumask_test_cpu(cpu, &p->cpus_mask))
			return false;
	return true;
}

/*
 * With p->pi_lock held, its queue locked and its clock updated. The caller runs
 * __balance_callbacks() before it unlocks.
 */
static void change_scheduler(struct rq *rq, struct task_struct *p,
			     const struct sched_attr *attr, int policy)
{
	const struct sched_class *prev_class = p->sched_class;
	bool queued = task_on_rq_queued(p), running = task_current(rq, p);
	int queue_flags = DEQUEUE_SAVE | DEQUEUE_NOCLOCK;
	int oldprio = p->prio;

	if (queued)
		dequeue_task(rq, p, queue_flags);
	if (running)
		put_prev_task(rq, p);
	if (!(attr->sched_flags & SCHED_FLAG_KEEP_PARAMS)) {
		__setscheduler_params(p, attr, policy);
		p->sched_class = class_of_prio(p->normal_prio);
		p->prio = p->normal_prio;
	}
	if (queued) {
		queue_flags = ENQUEUE_RESTORE | ENQUEUE_NOCLOCK;
		/* A task that steps down goes before its new equals. */
		if (oldprio < p->prio)
			queue_flags |= ENQUEUE_HEAD;
		enqueue_task(rq, p, queue_flags);
	}
	if (running)
		set_next_task(rq, p);
	check_class_changed(rq, p, prev_class, oldprio);
}

/*
 * Takes p->pi_lock and its queue's lock. The caller sees to it that @p does not
 * end.
 */
static int __sched_setscheduler(struct task_struct *p,
				const struct sched_attr *attr)
{
	int policy = attr->sched_policy, err;
	bool reset_on_fork = attr->sched_flags & SCHED_FLAG_RESET_ON_FORK;
	unsigned long flags;
	struct rq *rq;

	if (policy >= 0) {
		err = check_attr(attr, policy);
		if (err)
			return err;
	}
	rq = task_rq_lock(p, &flags);
	update_rq_clock(rq);
	if (policy < 0) {
		policy = p->policy;
		reset_on_fork = p->sched_reset_on_fork;
		err = check_attr(attr, policy);
		if (err)
			goto unlock;
	}
	/* Stoppers stay what they are. */
	err = -EINVAL;
	if (p == rq->stop)
		goto unlock;
	if (attr_unchanged(p, attr, policy)) {
		p->sched_reset_on_fork = reset_on_fork;
		err = 0;
		goto unlock;
	}
	err = -EPERM;
	if (dl_policy(policy) && !may_run_everywhere(p))
		goto unlock;
	if (dl_policy(policy) || dl_task(p)) {
		err = sched_dl_overflow(p, policy, attr);
		if (err)
			goto unlock;
	}
	p->sched_reset_on_fork = reset_on_fork;
	change_scheduler(rq, p, attr, policy);
	__balance_callbacks(rq);
	err = 0;
unlock:
	task_rq_unlock(rq, p, &flags);
	return err;
}

static int _sched_setscheduler(struct task_struct *p, int policy,
			       int sched_priority)
{
	struct sched_attr attr = {
		.sched_policy = policy,
		.sched_priority = sched_priority,
		.sched_nice = task_nice(p),
	};

	if (policy != SETPARAM_POLICY && policy & SCHED_RESET_ON_FORK) {
		attr.sched_flags |= SCHED_FLAG_RESET_ON_FORK;
		attr.sched_policy = policy & ~SCHED_RESET_ON_FORK;
	}
	return __sched_setscheduler(p, &attr);
}

int sched_setattr_nocheck(struct task_struct *p,
			  const struct sched_attr *attr)
{
	return __sched_setscheduler(p, attr);
}

int sched_setscheduler_nocheck(struct task_struct *p, int policy,
			       const struct sched_param *param)
{
	return _sched_setscheduler(p, policy, param->sched_priority);
}

/* For kernel threads: in the middle of the range, at its lower end. */
void sched_set_fifo(struct task_struct *p)
{
	struct sched_attr attr = {
		.sched_policy = SCHED_FIFO,
		.sched_priority = MAX_RT_PRIO / 2,
	};

	WARN_ON_ONCE(sched_setattr_nocheck(p, &attr));
}

/* The same below all other real-time tasks. */
void sched_set_fifo_low(struct task_struct *p)
{
	struct sched_attr attr = {
		.sched_policy = SCHED_FIFO,
		.sched_priority = 1,
	};

	WARN_ON_ONCE(sched_setattr_nocheck(p, &attr));
}

static struct task_struct *find_process_by_pid(pid_t pid)
{
	return pid ? find_get_task_by_vpid(pid) : get_task_struct(current);
}

static int do_sched_setscheduler(pid_t pid, int policy,
				 const struct sched_param __user *param)
{
	struct sched_param lparam;
	struct task_struct *p;
	int err;

	if (!param || pid < 0)
		return -EINVAL;
	if (copy_from_user(&lparam, param, sizeof(lparam)))
		return -EFAULT;
	p = find_process_by_pid(pid);
	if (!p)
		return -ESRCH;
	err = _sched_setscheduler(p, policy, lparam.sched_priority);
	put_task_struct(p);
	return err;
}

SYSCALL_DEFINE3(sched_setscheduler, pid_t, pid, int, policy,
		struct sched_param __user *, param)
{
	if (policy < 0)
		return -EINVAL;
	return do_sched_setscheduler(pid, policy, param);
}

SYSCALL_DEFINE2(sched_setparam, pid_t, pid, struct sched_param __user *, param)
{
	return do_sched_setscheduler(pid, SETPARAM_POLICY, param);
}

SYSCALL_DEFINE1(sched_getscheduler, pid_t, pid)
{
	struct task_struct *p;
	int ret;

	if (pid < 0)
		return -EINVAL;
	p = find_process_by_pid(pid);
	if (!p)
		return -ESRCH;
	ret = p->policy | (p->sched_reset_on_fork ? SCHED_RESET_ON_FORK : 0);
	put_task_struct(p);
	return ret;
}

SYSCALL_DEFINE2(sched_getparam, pid_t, pid, struct sched_param __user *, param)
{
	struct sched_param lp = { .sched_priority = 0 };
	struct task_struct *p;

	if (!param || pid < 0)
		return -EINVAL;
	p = find_process_by_pid(pid);
	if (!p)
		return -ESRCH;
	if (rt_policy(p->policy))
		lp.sched_priority = p->rt_priority;
	put_task_struct(p);
	return copy_to_user(param, &lp, sizeof(lp)) ? -EFAULT : 0;
}

/* A larger structure than ours is right if all that we do not know is zero. */
static int sched_copy_attr(struct sched_attr __user *uattr,
			   struct sched_attr *attr)
{
	unsigned int i;
	u32 size;
	u8 byte;

	memset(attr, 0, sizeof(*attr));
	if (get_user(size, &uattr->size))
		return -EFAULT;
	if (!size)
		size = SCHED_ATTR_SIZE_VER0;
	if (size < SCHED_ATTR_SIZE_VER0 || size > 4096)
		goto err_size;
	for (i = sizeof(*attr); i < size; i++) {
		if (get_user(byte, (u8 __user *)uattr + i))
			return -EFAULT;
		if (byte)
			goto err_size;
	}
	if (copy_from_user(attr, uattr, min_t(size_t, size, sizeof(*attr))))
		return -EFAULT;
	attr->sched_nice = clamp(attr->sched_nice, MIN_NICE, MAX_NICE);
	return 0;

err_size:
	return put_user((u32)sizeof(*attr), &uattr->size) ? -EFAULT : -E2BIG;
}

SYSCALL_DEFINE3(sched_setattr, pid_t, pid, struct sched_attr __user *, uattr,
		unsigned int, flags)
{
	struct sched_attr attr;
	struct task_struct *p;
	int err;

	if (!uattr || pid < 0 || flags)
		return -EINVAL;
	err = sched_copy_attr(uattr, &attr);
	if (err)
		return err;
	if ((int)attr.sched_policy < 0)
		return -EINVAL;
	if (attr.sched_flags & SCHED_FLAG_KEEP_POLICY)
		attr.sched_policy = SETPARAM_POLICY;
	p = find_process_by_pid(pid);
	if (!p)
		return -ESRCH;
	err = __sched_setscheduler(p, &attr);
	put_task_struct(p);
	return err;
}

SYSCALL_DEFINE4(sched_getattr, pid_t, pid, struct sched_attr __user *, uattr,
		unsigned int, usize, unsigned int, flags)
{
	struct sched_attr attr = {};
	struct task_struct *p;

	if (!uattr || pid < 0 || usize > 4096 ||
	    usize < SCHED_ATTR_SIZE_VER0 || flags)
		return -EINVAL;
	p = find_process_by_pid(pid);
	if (!p)
		return -ESRCH;
	attr.sched_policy = p->policy;
	if (p->sched_reset_on_fork)
		attr.sched_flags |= SCHED_FLAG_RESET_ON_FORK;
	if (dl_policy(p->policy))
		__getparam_dl(p, &attr);
	else if (rt_policy(p->policy))
		attr.sched_priority = p->rt_priority;
	else
		attr.sched_nice = task_nice(p);
	put_task_struct(p);
	attr.size = min_t(size_t, usize, sizeof(attr));
	return copy_to_user(uattr, &attr, attr.size) ? -EFAULT : 0;
}

SYSCALL_DEFINE1(sched_get_priority_max, int, policy)
{
	if (rt_policy(policy))
		return MAX_RT_PRIO - 1;
	return valid_policy(policy) ? 0 : -EINVAL;
}

SYSCALL_DEFINE1(sched_get_priority_min, int, policy)
{
	if (rt_policy(policy))
		return 1;
	return valid_policy(policy) ? 0 : -EINVAL;
}

SYSCALL_DEFINE2(sched_rr_get_interval, pid_t, pid,
		struct __kernel_timespec __user *, interval)
{
	struct __kernel_timespec ts = {};
	unsigned int ticks = 0;
	struct task_struct *p;
	unsigned long flags;
	struct rq *rq;

	if (pid < 0)
		return -EINVAL;
	p = find_process_by_pid(pid);
	if (!p)
		return -ESRCH;
	rq = task_rq_lock(p, &flags);
	if (p->sched_class->get_rr_interval)
		ticks = p->sched_class->get_rr_interval(rq, p);
	task_rq_unlock(rq, p, &flags);
	put_task_struct(p);
	ts.tv_sec = ticks / HZ;
	ts.tv_nsec = ticks % HZ * TICK_NSEC;
	return copy_to_user(interval, &ts, sizeof(ts)) ? -EFAULT : 0;
}
