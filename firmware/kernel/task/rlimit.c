/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of processes, and what they and the machine use. */
#include <linux/fdtable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <linux/sysinfo.h>
#include <linux/uaccess.h>

/* Of one process: the old ones, or new ones, or both. */
static int do_prlimit(struct task_struct *p, unsigned int resource,
		      const struct rlimit *new_rlim, struct rlimit *old_rlim)
{
	struct rlimit *rlim;

	if (resource >= RLIM_NLIMITS)
		return -EINVAL;
	if (new_rlim && new_rlim->rlim_cur > new_rlim->rlim_max)
		return -EINVAL;
	if (new_rlim && resource == RLIMIT_NOFILE &&
	    new_rlim->rlim_max > NR_OPEN_MAX)
		return -EPERM;
	rlim = &p->signal->rlim[resource];
	task_lock(p->group_leader);
	if (old_rlim)
		*old_rlim = *rlim;
	if (new_rlim)
		*rlim = *new_rlim;
	task_unlock(p->group_leader);
	return 0;
}

SYSCALL_DEFINE2(getrlimit, unsigned int, resource, struct rlimit __user *, rlim)
{
	struct rlimit value;
	int err = do_prlimit(current, resource, NULL, &value);

	if (err)
		return err;
	return copy_to_user(rlim, &value, sizeof(value)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(setrlimit, unsigned int, resource, struct rlimit __user *, rlim)
{
	struct rlimit new_rlim;

	if (copy_from_user(&new_rlim, rlim, sizeof(new_rlim)))
		return -EFAULT;
	return do_prlimit(current, resource, &new_rlim, NULL);
}

SYSCALL_DEFINE4(prlimit64, pid_t, pid, unsigned int, resource,
		const struct rlimit64 __user *, new_rlim,
		struct rlimit64 __user *, old_rlim)
{
	struct rlimit old, new;
	struct task_struct *p;
	int err;

	if (new_rlim && copy_from_user(&new, new_rlim, sizeof(new)))
		return -EFAULT;
	p = pid ? find_get_task_by_vpid(pid) : get_task_struct(current);
	if (!p)
		return -ESRCH;
	/* Who has ended has no limits any more. */
	spin_lock(&tasklist_lock);
	err = p->exit_state ? -ESRCH :
	      do_prlimit(p, resource, new_rlim ? &new : NULL,
			 old_rlim ? &old : NULL);
	spin_unlock(&tasklist_lock);
	put_task_struct(p);
	if (!err && old_rlim && copy_to_user(old_rlim, &old, sizeof(old)))
		err = -EFAULT;
	return err;
}

SYSCALL_DEFINE1(sysinfo, struct sysinfo __user *, info)
{
	struct task_struct *p;
	struct sysinfo val = {
		.uptime = DIV_ROUND_UP(ktime_get(), NSEC_PER_SEC),
		.mem_unit = 1,
	};

	si_meminfo(&val);
	spin_lock(&tasklist_lock);
	for_each_process(p)
		val.procs++;
	spin_unlock(&tasklist_lock);
	return copy_to_user(info, &val, sizeof(val)) ? -EFAULT : 0;
}
