/* SPDX-License-Identifier: GPL-2.0-only */
/* Making tasks. */
#ifndef _LINUX_SCHED_TASK_H
#define _LINUX_SCHED_TASK_H

#include <linux/types.h>
#include <uapi/linux/sched.h>

struct task_struct;
struct mm_struct;

struct kernel_clone_args {
	unsigned long flags;
	int exit_signal;
	unsigned long stack;		/* 0: the parent's, copied */
	unsigned long tls;
	int __user *parent_tid;
	int __user *child_tid;
	int (*fn)(void *);		/* a kernel thread's function */
	void *fn_arg;
	bool kthread;			/* never returns to user mode */
	bool idle;			/* not a process at all */
};

pid_t kernel_clone(struct kernel_clone_args *args);
pid_t kernel_thread(int (*fn)(void *), void *arg, unsigned long flags);
pid_t user_mode_thread(int (*fn)(void *), void *arg, unsigned long flags);
int kernel_wait(pid_t pid, int *stat);
struct task_struct *fork_idle(int cpu);
int copy_thread(struct task_struct *p, const struct kernel_clone_args *args);
void mm_release(struct task_struct *p, struct mm_struct *mm);
int unshare_sighand(struct task_struct *me);
int de_thread(struct task_struct *tsk);

#endif
