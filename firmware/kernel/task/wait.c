/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for children: that they end, stop, or go on. */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <trace/events/sched.h>
#include <uapi/linux/wait.h>
#include "exit.h"

struct wait_opts {
	enum pid_type wo_type;		/* PIDTYPE_MAX: any child */
	struct pid *wo_pid;
	unsigned int wo_flags;
	pid_t pid;			/* found; the rest tells of it */
	int status;			/* as wait4 gives it */
	int cause;			/* CLD_* */
	struct rusage usage;
	int notask_error;
	wait_queue_entry_t child_wait;
};

static bool eligible_pid(struct wait_opts *wo, struct task_struct *p)
{
	struct pid *pid = wo->wo_type == PIDTYPE_PID ? task_pid(p) :
						       task_pgrp(p);

	return wo->wo_type == PIDTYPE_MAX || pid == wo->wo_pid;
}

/* A clone child is one that ends with another signal than SIGCHLD. */
static bool eligible_child(struct wait_opts *wo, struct task_struct *p)
{
	if (!eligible_pid(wo, p))
		return false;
	return wo->wo_flags & __WALL ||
	       (p->exit_signal != SIGCHLD) == !!(wo->wo_flags & __WCLONE);
}

static void note_child(struct wait_opts *wo, struct task_struct *p, int cause,
		       int status)
{
	struct task_usage usage;

	wo->pid = task_pid_nr(p);
	wo->cause = cause;
	wo->status = status;
	thread_group_usage(p, &usage);
	add_usage(&usage, &p->signal->cusage);
	fill_rusage(&wo->usage, &usage);
}

/*
 * Called with tasklist_lock held; true: it has been let go, and the child is
 * released unless WNOWAIT.
 */
static bool wait_task_zombie(struct wait_opts *wo, struct task_struct *p)
{
	struct signal_struct *sig = p->signal, *psig = current->signal;
	int status = sig->flags & SIGNAL_GROUP_EXIT ? sig->group_exit_code :
						      p->exit_code;
	struct task_usage usage;

	if (!(wo->wo_flags & WEXITED))
		return false;
	note_child(wo, p, status & 0x7f ? CLD_KILLED : CLD_EXITED, status);
	if (wo->wo_flags & WNOWAIT) {
		spin_unlock(&tasklist_lock);
		return true;
	}
	p->exit_state = EXIT_DEAD;
	thread_group_usage(p, &usage);
	add_usage(&psig->cusage, &usage);
	add_usage(&psig->cusage, &sig->cusage);
	spin_unlock(&tasklist_lock);
	release_task(p);
	return true;
}

/*
 * A stop is told once. Called with tasklist_lock held, which is let go if the
 * result is true.
 */
static bool wait_task_stopped(struct wait_opts *wo, struct task_struct *p)
{
	int code;

	if (!(wo->wo_flags & WSTOPPED) ||
	    !(p->signal->flags & SIGNAL_STOP_STOPPED))
		return false;
	spin_lock_irq(&p->sighand->siglock);
	code = p->signal->flags & SIGNAL_STOP_STOPPED ?
	       p->signal->group_exit_code : 0;
	if (code && !(wo->wo_flags & WNOWAIT))
		p->signal->group_exit_code = 0;
	spin_unlock_irq(&p->sighand->siglock);
	if (!code)
		return false;
	note_child(wo, p, CLD_STOPPED, code << 8 | 0x7f);
	spin_unlock(&tasklist_lock);
	return true;
}

/* Called with tasklist_lock held, which is let go if the result is true. */
static bool wait_task_continued(struct wait_opts *wo, struct task_struct *p)
{
	bool continued;

	if (!(wo->wo_flags & WCONTINUED))
		return false;
	spin_lock_irq(&p->sighand->siglock);
	continued = p->signal->flags & SIGNAL_STOP_CONTINUED;
	if (continued && !(wo->wo_flags & WNOWAIT))
		p->signal->flags &= ~SIGNAL_STOP_CONTINUED;
	spin_unlock_irq(&p->sighand->siglock);
	if (!continued)
		return false;
	note_child(wo, p, CLD_CONTINUED, 0xffff);
	spin_unlock(&tasklist_lock);
	return true;
}

/*
 * Called with tasklist_lock held; true: this is one, and the lock has been let
 * go.
 */
static bool wait_consider_task(struct wait_opts *wo, struct task_struct *p)
{
	if (p->exit_state == EXIT_DEAD || !eligible_child(wo, p))
		return false;
	if (p->exit_state == EXIT_ZOMBIE && !delay_group_leader(p)) {
		if (wait_task_zombie(wo, p))
			return true;
		/* It will neither stop nor go on. */
		return false;
	}
	if (p->exit_state != EXIT_ZOMBIE || wo->wo_flags & (WCONTINUED | WEXITED))
		wo->notask_error = 0;
	return wait_task_stopped(wo, p) || wait_task_continued(wo, p);
}

static bool do_wait_thread(struct wait_opts *wo, struct task_struct *tsk)
{
	struct task_struct *p;

	list_for_each_entry(p, &tsk->children, sibling)
		if (wait_consider_task(wo, p))
			return true;
	return false;
}

/* Who waits for another child sleeps on. */
static int child_wait_callback(wait_queue_entry_t *wait, unsigned int mode,
			       int sync, void *key)
{
	struct wait_opts *wo = container_of(wait, struct wait_opts, child_wait);
	struct task_struct *p = key;

	if (!eligible_pid(wo, p))
		return 0;
	if (wo->wo_flags & __WNOTHREAD && wait->private != p->real_parent)
		return 0;
	return default_wake_function(wait, mode, sync, key);
}

/*
 * A child's number, 0 if all live, -ECHILD if there is none. Called with no
 * lock held; does not wait.
 */
static long __do_wait(struct wait_opts *wo)
{
	struct task_struct *tsk = current;

	wo->notask_error = -ECHILD;
	if (wo->wo_type < PIDTYPE_MAX && !wo->wo_pid)
		return -ECHILD;
	spin_lock(&tasklist_lock);
	if (wo->wo_flags & __WNOTHREAD) {
		if (do_wait_thread(wo, tsk))
			return wo->pid;
	} else {
		for_each_thread(current, tsk)
			if (do_wait_thread(wo, tsk))
				return wo->pid;
	}
	spin_unlock(&tasklist_lock);
	return wo->notask_error;
}

/*
 * Called with no lock held; sleeps until there is a child to tell of, or a
 * signal.
 */
static long do_wait(struct wait_opts *wo)
{
	wait_queue_head_t *wq = &current->signal->wait_chldexit;
	long retval;

	wo->child_wait = (wait_queue_entry_t){
		.private = current,
		.func = child_wait_callback,
	};
	INIT_LIST_HEAD(&wo->child_wait.entry);
	trace_sched_process_wait(wo->wo_pid);
	add_wait_queue(wq, &wo->child_wait);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		retval = __do_wait(wo);
		if (retval || wo->wo_flags & WNOHANG)
			break;
		if (signal_pending(current)) {
			retval = -ERESTARTSYS;
			break;
		}
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	remove_wait_queue(wq, &wo->child_wait);
	return retval;
}

/* What waitid tells, by what wait4 would. */
static int put_waitid_info(siginfo_t __user *infop, const struct wait_opts *wo,
			   bool found)
{
	kernel_siginfo_t info;

	clear_siginfo(&info);
	if (found) {
		info.si_signo = SIGCHLD;
		info.si_code = wo->cause;
		info.si_pid = wo->pid;
		info.si_status = wo->cause == CLD_CONTINUED ? SIGCONT :
				 wo->cause == CLD_KILLED ? wo->status & 0x7f :
				 wo->status >> 8 & 0xff;
	}
	return copy_to_user(infop, &info, offsetof(kernel_siginfo_t,
						   si_utime)) ? -EFAULT : 0;
}

static struct pid *get_group(pid_t upid)
{
	return upid ? find_get_pid(upid) : get_pid(task_pgrp(current));
}

SYSCALL_DEFINE5(waitid, int, which, pid_t, upid, struct siginfo __user *, infop,
		int, options, struct rusage __user *, ru)
{
	struct wait_opts wo = { .wo_flags = options };
	long ret;

	if (options & ~(WNOHANG | WNOWAIT | WEXITED | WSTOPPED | WCONTINUED |
			__WNOTHREAD | __WCLONE | __WALL))
		return -EINVAL;
	if (!(options & (WEXITED | WSTOPPED | WCONTINUED)))
		return -EINVAL;
	switch (which) {
	case P_ALL:
		wo.wo_type = PIDTYPE_MAX;
		break;
	case P_PID:
		if (upid <= 0)
			return -EINVAL;
		wo.wo_type = PIDTYPE_PID;
		wo.wo_pid = find_get_pid(upid);
		break;
	case P_PGID:
		if (upid < 0)
			return -EINVAL;
		wo.wo_type = PIDTYPE_PGID;
		wo.wo_pid = get_group(upid);
		break;
	default:
		return -EINVAL;
	}
	ret = do_wait(&wo);
	put_pid(wo.wo_pid);
	if (ret > 0 && ru && copy_to_user(ru, &wo.usage, sizeof(wo.usage)))
		return -EFAULT;
	if (ret >= 0 && infop && put_waitid_info(infop, &wo, ret > 0))
		return -EFAULT;
	return ret > 0 ? 0 : ret;
}

/*
 * For kernel threads: sleeps until a child has ended. @stat becomes its wait
 * status, but stays what it was if that is 0.
 */
int kernel_wait(pid_t pid, int *stat)
{
	struct wait_opts wo = {
		.wo_type = PIDTYPE_PID,
		.wo_pid = find_get_pid(pid),
		.wo_flags = WEXITED,
	};
	int ret = do_wait(&wo);

	if (ret > 0 && wo.status)
		*stat = wo.status;
	put_pid(wo.wo_pid);
	return ret;
}

static long kernel_wait4(pid_t upid, int __user *stat_addr, int options,
			 struct rusage __user *ru)
{
	struct wait_opts wo = {
		.wo_type = PIDTYPE_MAX,
		.wo_flags = options | WEXITED,
	};
	long ret;

	if (options & ~(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD |
			__WCLONE | __WALL))
		return -EINVAL;
	if (upid == -2147483647 - 1)
		return -ESRCH;
	if (upid > 0) {
		wo.wo_type = PIDTYPE_PID;
		wo.wo_pid = find_get_pid(upid);
	} else if (upid != -1) {
		wo.wo_type = PIDTYPE_PGID;
		wo.wo_pid = get_group(-upid);
	}
	ret = do_wait(&wo);
	put_pid(wo.wo_pid);
	if (ret > 0 && stat_addr && put_user(wo.status, stat_addr))
		return -EFAULT;
	if (ret > 0 && ru && copy_to_user(ru, &wo.usage, sizeof(wo.usage)))
		return -EFAULT;
	return ret;
}

SYSCALL_DEFINE4(wait4, pid_t, upid, int __user *, stat_addr, int, options,
		struct rusage __user *, ru)
{
	return kernel_wait4(upid, stat_addr, options, ru);
}
