/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for children. */
#include <linux/kernel.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include "exit.h"

#define WNOHANG		0x00000001
#define WUNTRACED	0x00000002
#define WCONTINUED	0x00000008
#define __WALL		0x40000000

/* Every parent that waits for a child sleeps here. */
static DECLARE_WAIT_QUEUE_HEAD(wait_chldexit);

struct wait_opts {
	pid_t pid;		/* > 0: this one; -1: any; < -1: its group */
	int options;
	int status;
	struct rusage usage;
};

bool do_notify_parent(struct task_struct *p)
{
	struct task_struct *parent = p->real_parent;
	bool autoreap = p->exit_signal == SIGCHLD &&
			parent->ignored & sigmask(SIGCHLD);

	if (p->exit_signal)
		send_sig(p->exit_signal, parent);
	__wake_up(&wait_chldexit, TASK_INTERRUPTIBLE, 0, parent);
	return autoreap;
}

static inline bool eligible_child(const struct wait_opts *wo,
			   const struct task_struct *p)
{
	if (wo->pid > 0)
		return p->pid == wo->pid;
	return wo->pid == -1 || p->pgrp == -wo->pid;
}

/* With tasklist_lock held, which is let go if there was one. */
static pid_t wait_task_zombie(struct wait_opts *wo,
				       struct task_struct *p)
{
	pid_t pid = p->pid;

	p->exit_state = EXIT_DEAD;
	spin_unlock(&tasklist_lock);
	wo->status = p->exit_code;
	memset(&wo->usage, 0, sizeof(wo->usage));
	wo->usage.ru_utime.tv_sec = p->utime / HZ;
	wo->usage.ru_utime.tv_usec = p->utime % HZ * (USEC_PER_SEC / HZ);
	wo->usage.ru_stime.tv_sec = p->stime / HZ;
	wo->usage.ru_stime.tv_usec = p->stime % HZ * (USEC_PER_SEC / HZ);
	release_task(p);
	return pid;
}

/* A child's number, 0 if all live, -ECHILD if there is none. */
static pid_t do_wait_thread(struct wait_opts *wo)
{
	struct task_struct *p;
	pid_t ret = -ECHILD;

	spin_lock(&tasklist_lock);
	list_for_each_entry(p, &current->children, sibling) {
		if (p->exit_state == EXIT_DEAD || !eligible_child(wo, p))
			continue;
		if (p->exit_state == EXIT_ZOMBIE)
			return wait_task_zombie(wo, p);
		ret = 0;
	}
	spin_unlock(&tasklist_lock);
	return ret;
}

/* The queue is everybody's: only the dead one's parent is woken. */
static int child_wait_callback(wait_queue_entry_t *entry, unsigned int mode,
			       int flags, void *key)
{
	return entry->private == key ?
	       default_wake_function(entry, mode, flags, key) : 0;
}

static pid_t do_wait(struct wait_opts *wo)
{
	DEFINE_WAIT_FUNC(wait, child_wait_callback);
	pid_t ret;

	add_wait_queue(&wait_chldexit, &wait);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		ret = do_wait_thread(wo);
		if (ret || wo->options & WNOHANG)
			break;
		if (signal_pending(current)) {
			ret = -ERESTARTSYS;
			break;
		}
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	remove_wait_queue(&wait_chldexit, &wait);
	return ret;
}

static pid_t kernel_wait4(pid_t upid, int __user *stat_addr,
				   int options, struct rusage __user *ru)
{
	struct wait_opts wo = {
		.pid = upid ? upid : -current->pgrp,
		.options = options,
	};
	pid_t ret;

	if (options & ~(WNOHANG | WUNTRACED | WCONTINUED | __WALL))
		return -EINVAL;
	ret = do_wait(&wo);
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
