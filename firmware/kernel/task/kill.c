/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that send signals. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

static int kill_pid_info(int sig, struct kernel_siginfo *info, struct pid *pid)
{
	struct task_struct *p = pid_task(pid, PIDTYPE_PID);

	return p ? group_send_sig_info(sig, info, p, PIDTYPE_TGID) : -ESRCH;
}

/* Everybody but init and the caller. */
static int kill_everybody(int sig, struct kernel_siginfo *info)
{
	struct task_struct *p;
	int ret = -ESRCH;

	for_each_process(p) {
		if (p->pid <= 1 || same_thread_group(p, current))
			continue;
		group_send_sig_info(sig, info, p, PIDTYPE_MAX);
		ret = 0;
	}
	return ret;
}

static int kill_something_info(int sig, struct kernel_siginfo *info, pid_t pid)
{
	struct pid *pgrp;
	int ret;

	if (pid == -2147483647 - 1)
		return -ESRCH;
	spin_lock_irq(&tasklist_lock);
	if (pid > 0) {
		ret = kill_pid_info(sig, info, find_vpid(pid));
	} else if (pid == -1) {
		ret = kill_everybody(sig, info);
	} else {
		pgrp = pid ? find_vpid(-pid) : task_pgrp(current);
		ret = pgrp ? __kill_pgrp_info(sig, info, pgrp) : -ESRCH;
	}
	spin_unlock_irq(&tasklist_lock);
	return ret;
}

static void prepare_kill_siginfo(int sig, struct kernel_siginfo *info, int code)
{
	clear_siginfo(info);
	info->si_signo = sig;
	info->si_code = code;
	info->si_pid = task_tgid_nr(current);
}

SYSCALL_DEFINE2(kill, pid_t, pid, int, sig)
{
	struct kernel_siginfo info;

	if (!valid_signal(sig))
		return -EINVAL;
	prepare_kill_siginfo(sig, &info, SI_USER);
	return kill_something_info(sig, &info, pid);
}

/* To one thread; @tgid: of this process, or 0. */
static int do_send_specific(pid_t tgid, pid_t pid, int sig,
			    struct kernel_siginfo *info)
{
	struct task_struct *p;
	int error = -ESRCH;

	spin_lock_irq(&tasklist_lock);
	p = find_task_by_vpid(pid);
	if (p && (tgid <= 0 || task_tgid_nr(p) == tgid)) {
		error = 0;
		if (sig)
			error = do_send_sig_info(sig, info, p, PIDTYPE_PID);
		/* It was there when it was looked up. */
		if (error == -ESRCH)
			error = 0;
	}
	spin_unlock_irq(&tasklist_lock);
	return error;
}

static int do_tkill(pid_t tgid, pid_t pid, int sig)
{
	struct kernel_siginfo info;

	if (!valid_signal(sig))
		return -EINVAL;
	prepare_kill_siginfo(sig, &info, SI_TKILL);
	return do_send_specific(tgid, pid, sig, &info);
}

SYSCALL_DEFINE3(tgkill, pid_t, tgid, pid_t, pid, int, sig)
{
	return tgid <= 0 || pid <= 0 ? -EINVAL : do_tkill(tgid, pid, sig);
}

SYSCALL_DEFINE2(tkill, pid_t, pid, int, sig)
{
	return pid <= 0 ? -EINVAL : do_tkill(0, pid, sig);
}

/* Nobody may pretend to be the kernel, or kill, towards another. */
static int queued_info(kernel_siginfo_t *info, int sig, pid_t pid,
		       const siginfo_t __user *uinfo)
{
	if (!valid_signal(sig))
		return -EINVAL;
	if (copy_siginfo_from_user(info, uinfo))
		return -EFAULT;
	info->si_signo = sig;
	if ((info->si_code >= 0 || info->si_code == SI_TKILL) &&
	    task_pid_nr(current) != pid)
		return -EPERM;
	return 0;
}

SYSCALL_DEFINE3(rt_sigqueueinfo, pid_t, pid, int, sig,
		siginfo_t __user *, uinfo)
{
	kernel_siginfo_t info;
	int err = queued_info(&info, sig, pid, uinfo);

	if (err)
		return err;
	spin_lock_irq(&tasklist_lock);
	err = kill_pid_info(sig, &info, find_vpid(pid));
	spin_unlock_irq(&tasklist_lock);
	return err;
}

SYSCALL_DEFINE4(rt_tgsigqueueinfo, pid_t, tgid, pid_t, pid, int, sig,
		siginfo_t __user *, uinfo)
{
	kernel_siginfo_t info;
	int err = queued_info(&info, sig, pid, uinfo);

	if (err)
		return err;
	if (pid <= 0 || tgid <= 0)
		return -EINVAL;
	return do_send_specific(tgid, pid, sig, &info);
}
