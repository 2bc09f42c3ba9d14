/* SPDX-License-Identifier: GPL-2.0-only */
/* Making tasks. */
#ifndef _LINUX_SCHED_TASK_H
#define _LINUX_SCHED_TASK_H

#include <linux/types.h>

struct task_struct;
struct mm_struct;

#define CSIGNAL			0x000000ff
#define CLONE_VM		0x00000100
#define CLONE_FS		0x00000200
#define CLONE_FILES		0x00000400
#define CLONE_SIGHAND		0x00000800
#define CLONE_PIDFD		0x00001000
#define CLONE_PTRACE		0x00002000
#define CLONE_VFORK		0x00004000
#define CLONE_PARENT		0x00008000
#define CLONE_THREAD		0x00010000
#define CLONE_NEWNS		0x00020000
#define CLONE_SETTLS		0x00080000
#define CLONE_PARENT_SETTID	0x00100000
#define CLONE_CHILD_CLEARTID	0x00200000
#define CLONE_DETACHED		0x00400000
#define CLONE_CHILD_SETTID	0x01000000
#define CLONE_NEWCGROUP		0x02000000
#define CLONE_NEWUTS		0x04000000
#define CLONE_NEWIPC		0x08000000
#define CLONE_NEWUSER		0x10000000
#define CLONE_NEWPID		0x20000000
#define CLONE_NEWNET		0x40000000

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
struct task_struct *fork_idle(int cpu);
void count_thread_exit(const struct task_struct *p);
int copy_thread(struct task_struct *p, const struct kernel_clone_args *args);
void mm_release(struct task_struct *p, struct mm_struct *mm);
int unshare_sighand(struct task_struct *me);
int de_thread(struct task_struct *tsk);

#endif
