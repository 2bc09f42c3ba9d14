/* SPDX-License-Identifier: GPL-2.0-only */
/* Process numbers. */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/threads.h>

static DECLARE_BITMAP(pid_map, PID_MAX) = { 1 };
static DEFINE_SPINLOCK(pidmap_lock);
static unsigned int last_pid;

/* The next free number after the last one given; negative: there is none. */
pid_t alloc_pid(void)
{
	unsigned int nr;

	spin_lock(&pidmap_lock);
	nr = find_next_zero_bit(pid_map, PID_MAX, last_pid + 1);
	if (nr == PID_MAX)
		nr = find_next_zero_bit(pid_map, PID_MAX, 1);
	if (nr < PID_MAX) {
		__set_bit(nr, pid_map);
		last_pid = nr;
	}
	spin_unlock(&pidmap_lock);
	return nr < PID_MAX ? (pid_t)nr : -EAGAIN;
}

void free_pid(pid_t nr)
{
	spin_lock(&pidmap_lock);
	__clear_bit(nr, pid_map);
	spin_unlock(&pidmap_lock);
}

struct task_struct *find_task_by_vpid(pid_t pid)
{
	struct task_struct *p;

	for_each_process(p)
		if (p->pid == pid)
			return p;
	return NULL;
}

struct task_struct *find_get_task_by_vpid(pid_t pid)
{
	struct task_struct *p;

	spin_lock(&tasklist_lock);
	p = find_task_by_vpid(pid);
	if (p)
		get_task_struct(p);
	spin_unlock(&tasklist_lock);
	return p;
}

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

	spin_lock(&tasklist_lock);
	pid = task_tgid_nr(current->real_parent);
	spin_unlock(&tasklist_lock);
	return pid;
}

/* Of process @pid, or of the caller if that is 0. */
static pid_t get_task_number(pid_t pid, bool session)
{
	struct task_struct *p;
	pid_t ret = -ESRCH;

	spin_lock(&tasklist_lock);
	p = pid ? find_task_by_vpid(pid) : current;
	if (p)
		ret = session ? p->session : p->pgrp;
	spin_unlock(&tasklist_lock);
	return ret;
}

SYSCALL_DEFINE1(getpgid, pid_t, pid)
{
	return get_task_number(pid, false);
}

SYSCALL_DEFINE0(getpgrp)
{
	return get_task_number(0, false);
}

SYSCALL_DEFINE1(getsid, pid_t, pid)
{
	return get_task_number(pid, true);
}

/* Oneself or a child that has not called execve. */
SYSCALL_DEFINE2(setpgid, pid_t, pid, pid_t, pgid)
{
	struct task_struct *p;
	long err = -ESRCH;

	if (pgid < 0)
		return -EINVAL;
	spin_lock(&tasklist_lock);
	p = pid ? find_task_by_vpid(pid) : current;
	if (!p || (p != current && p->real_parent != current))
		goto out;
	err = -EACCES;
	if (p != current && !(p->flags & PF_FORKNOEXEC))
		goto out;
	err = -EPERM;
	if (p->pid == p->session || p->session != current->session)
		goto out;
	p->pgrp = pgid ? pgid : p->pid;
	err = 0;
out:
	spin_unlock(&tasklist_lock);
	return err;
}

SYSCALL_DEFINE0(setsid)
{
	struct task_struct *p = current;
	long ret = -EPERM;

	spin_lock(&tasklist_lock);
	if (p->pgrp != p->pid) {
		p->session = p->pid;
		p->pgrp = p->pid;
		ret = p->pid;
	}
	spin_unlock(&tasklist_lock);
	return ret;
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
