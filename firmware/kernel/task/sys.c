/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on what processes are known by. */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <linux/tty.h>

SYSCALL_DEFINE0(getpid)
{
	return task_tgid_nr(current);
}

SYSCALL_DEFINE0(gettid)
{
	return task_pid_nr(current);
}

SYSCALL_DEFINE0(getppid)
{
	pid_t pid;

	spin_lock_irq(&tasklist_lock);
	pid = task_tgid_nr(current->real_parent);
	spin_unlock_irq(&tasklist_lock);
	return pid;
}

/* Of process @pid, or of the caller if that is 0. */
static pid_t do_getpgid(pid_t pid, enum pid_type type)
{
	struct task_struct *p;
	pid_t ret = -ESRCH;

	spin_lock_irq(&tasklist_lock);
	p = pid ? find_task_by_vpid(pid) : current;
	if (p)
		ret = pid_nr(p->signal->pids[type]);
	spin_unlock_irq(&tasklist_lock);
	return ret;
}

SYSCALL_DEFINE1(getpgid, pid_t, pid)
{
	return do_getpgid(pid, PIDTYPE_PGID);
}

SYSCALL_DEFINE0(getpgrp)
{
	return do_getpgid(0, PIDTYPE_PGID);
}

SYSCALL_DEFINE1(getsid, pid_t, pid)
{
	return do_getpgid(pid, PIDTYPE_SID);
}

/* A group that is not @p's own must be one of the session. */
static int change_pgrp(struct task_struct *p, pid_t pgid)
{
	struct task_struct *member;
	struct pid *pgrp = task_pid(p);

	if (p->signal->leader)
		return -EPERM;
	if (pgid != p->pid) {
		pgrp = find_vpid(pgid);
		member = pid_task(pgrp, PIDTYPE_PGID);
		if (!member ||
		    task_session(member) != task_session(current))
			return -EPERM;
	}
	if (task_pgrp(p) != pgrp)
		change_pid(p, PIDTYPE_PGID, pgrp);
	return 0;
}

/* Oneself, or a child that has not called execve. */
static int do_setpgid(struct task_struct *p, pid_t pgid)
{
	struct task_struct *group_leader = current->group_leader;

	if (!thread_group_leader(p))
		return -EINVAL;
	if (p != group_leader) {
		if (!same_thread_group(p->real_parent, group_leader))
			return -ESRCH;
		if (task_session(p) != task_session(group_leader))
			return -EPERM;
		if (!(p->flags & PF_FORKNOEXEC))
			return -EACCES;
	}
	return change_pgrp(p, pgid);
}

SYSCALL_DEFINE2(setpgid, pid_t, pid, pid_t, pgid)
{
	struct task_struct *p;
	int err = -ESRCH;

	if (!pid)
		pid = task_tgid_nr(current);
	if (!pgid)
		pgid = pid;
	if (pgid < 0)
		return -EINVAL;
	spin_lock_irq(&tasklist_lock);
	p = find_task_by_vpid(pid);
	if (p)
		err = do_setpgid(p, pgid);
	spin_unlock_irq(&tasklist_lock);
	return err;
}

/* The session leader's; the others' groups come from it by fork. */
static void set_special_pids(struct task_struct *leader, struct pid *pid)
{
	if (task_session(leader) != pid)
		change_pid(leader, PIDTYPE_SID, pid);
	if (task_pgrp(leader) != pid)
		change_pid(leader, PIDTYPE_PGID, pid);
}

static int ksys_setsid(void)
{
	struct task_struct *group_leader = current->group_leader;
	struct pid *sid = task_pid(group_leader);
	int err = -EPERM;

	spin_lock_irq(&tasklist_lock);
	if (!group_leader->signal->leader && !pid_task(sid, PIDTYPE_PGID)) {
		group_leader->signal->leader = true;
		set_special_pids(group_leader, sid);
		err = pid_nr(sid);
	}
	spin_unlock_irq(&tasklist_lock);
	if (err > 0)
		proc_clear_tty(group_leader);
	return err;
}

SYSCALL_DEFINE0(setsid)
{
	return ksys_setsid();
}

/* There is one user, who may do everything. */
SYSCALL_DEFINE0(getuid)
{
	return 0;
}

SYSCALL_DEFINE0(geteuid)
{
	return 0;
}

SYSCALL_DEFINE0(getgid)
{
	return 0;
}

SYSCALL_DEFINE0(getegid)
{
	return 0;
}

/* ... and is in no group besides. */
SYSCALL_DEFINE2(getgroups, int, gidsetsize, gid_t __user *, grouplist)
{
	return gidsetsize < 0 ? -EINVAL : 0;
}
