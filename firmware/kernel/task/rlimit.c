/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of processes: kept, inherited, told. */
#include <linux/kernel.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

/* With tasklist_lock held: the task is not released meanwhile. */
static int do_prlimit(struct task_struct *tsk, unsigned int resource,
		      const struct rlimit *new, struct rlimit *old)
{
	struct rlimit *rlim;
	int err = 0;

	if (resource >= RLIM_NLIMITS)
		return -EINVAL;
	if (new && new->rlim_cur > new->rlim_max)
		return -EINVAL;
	/* The table of descriptors has this many at most. */
	if (new && resource == RLIMIT_NOFILE &&
	    new->rlim_max > init_signals.rlim[RLIMIT_NOFILE].rlim_max)
		return -EPERM;
	if (!tsk->sighand)
		return -ESRCH;
	rlim = &tsk->signal->rlim[resource];
	spin_lock_irq(&tsk->sighand->siglock);
	if (old)
		*old = *rlim;
	if (new)
		*rlim = *new;
	spin_unlock_irq(&tsk->sighand->siglock);
	return err;
}

SYSCALL_DEFINE4(prlimit64, pid_t, pid, unsigned int, resource,
		const struct rlimit __user *, new_rlim,
		struct rlimit __user *, old_rlim)
{
	struct rlimit old, new;
	struct task_struct *tsk;
	int err = -ESRCH;

	if (new_rlim && copy_from_user(&new, new_rlim, sizeof(new)))
		return -EFAULT;
	spin_lock(&tasklist_lock);
	tsk = pid ? find_task_by_vpid(pid) : current;
	if (tsk)
		err = do_prlimit(tsk, resource, new_rlim ? &new : NULL,
				 old_rlim ? &old : NULL);
	spin_unlock(&tasklist_lock);
	if (!err && old_rlim && copy_to_user(old_rlim, &old, sizeof(old)))
		err = -EFAULT;
	return err;
}

SYSCALL_DEFINE2(getrlimit, unsigned int, resource, struct rlimit __user *, rlim)
{
	struct rlimit value;
	int err = do_prlimit(current, resource, NULL, &value);

	if (!err && copy_to_user(rlim, &value, sizeof(value)))
		err = -EFAULT;
	return err;
}

SYSCALL_DEFINE2(setrlimit, unsigned int, resource,
		const struct rlimit __user *, rlim)
{
	struct rlimit value;

	if (copy_from_user(&value, rlim, sizeof(value)))
		return -EFAULT;
	return do_prlimit(current, resource, &value, NULL);
}
