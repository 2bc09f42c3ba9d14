/* SPDX-License-Identifier: GPL-2.0-only */
/* Making tasks. */
#include <linux/completion.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/futex.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

#include <trace/events/sched.h>

#include "fork.h"

#define CREATE_TRACE_POINTS
#include <trace/events/task.h>

/* The list of all tasks, and who is whose child. */
DEFINE_SPINLOCK(tasklist_lock);

unsigned long total_forks;	/* since boot */
int nr_threads;

#define THREADS_SHARE	8
#define MIN_THREADS	20
#define CPU_THREADS	8	/* of the kernel, for each CPU */

static int max_threads;

/*
 * What programs may have: stacks get no more than an eighth of memory, so that
 * a fork bomb leaves some. How many the kernel has itself depends on the CPUs.
 */
static void __init set_max_threads(void)
{
	u64 threads = max_pfn * PAGE_SIZE / (THREAD_SIZE * THREADS_SHARE);

	threads = max_t(u64, threads, MIN_THREADS) +
		  CPU_THREADS * nr_cpu_ids;
	max_threads = min_t(u64, threads, FUTEX_TID_MASK);
}

void __init fork_init(void)
{
	set_max_threads();
	task_caches_init();
	pid_init();
	signals_init();
	thread_stack_init();
}

static int copy_files(unsigned long clone_flags, struct task_struct *p)
{
	struct files_struct *files = current->files;

	if (clone_flags & CLONE_FILES) {
		atomic_inc(&files->count);
		return 0;
	}
	p->files = dup_fd(files);
	return PTR_ERR_OR_ZERO(p->files);
}

static int copy_fs(unsigned long clone_flags, struct task_struct *p)
{
	struct fs_struct *fs = current->fs;

	if (clone_flags & CLONE_FS) {
		atomic_inc(&fs->users);
		return 0;
	}
	p->fs = copy_fs_struct(fs);
	return p->fs ? 0 : -ENOMEM;
}

static int copy_mm(unsigned long clone_flags, struct task_struct *p)
{
	struct mm_struct *mm = current->mm;

	p->mm = NULL;
	p->active_mm = NULL;
	if (!mm)
		return 0;
	if (clone_flags & CLONE_VM) {
		atomic_inc(&mm->mm_users);
	} else {
		mm = dup_mm(mm);
		if (!mm)
			return -ENOMEM;
	}
	p->mm = mm;
	p->active_mm = mm;
	return 0;
}

/* What the copy of the parent must not keep. */
static void reset_task(struct task_struct *p,
		       const struct kernel_clone_args *args)
{
	p->flags &= ~(PF_IDLE | PF_KTHREAD | PF_WQ_WORKER | PF_SIGNALED |
		      PF_NO_SETAFFINITY);
	p->flags |= PF_FORKNOEXEC;
	if (args->kthread)
		p->flags |= PF_KTHREAD;
	p->worker_private = NULL;
	p->rcu_read_lock_nesting = 0;
	p->rcu_read_unlock_special = 0;
	INIT_LIST_HEAD(&p->rcu_node_entry);
	p->rcu_tasks_holdout = false;
	p->exit_state = 0;
	p->exit_code = 0;
	p->exit_signal = args->flags & CLONE_THREAD ? -1 : args->exit_signal;
	if (args->flags & CLONE_PARENT && !(args->flags & CLONE_THREAD))
		p->exit_signal = current->group_leader->exit_signal;
	p->pdeath_signal = 0;
	p->group_leader = args->flags & CLONE_THREAD ? current->group_leader : p;
	p->vfork_done = NULL;
	p->set_child_tid = args->flags & CLONE_CHILD_SETTID ?
			   args->child_tid : NULL;
	p->clear_child_tid = args->flags & CLONE_CHILD_CLEARTID ?
			     args->child_tid : NULL;
	p->start_time = ktime_get();
	p->utime = 0;
	p->stime = 0;
	p->jobctl = 0;
	p->restore_sigmask = false;
	p->real_blocked = 0;
	p->robust_list = NULL;
	p->utask = NULL;
	p->restart_block.fn = do_no_restart_syscall;
	init_sigpending(&p->pending);
	/* The alternate stack is for one user at a time. */
	if ((args->flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM)
		sas_ss_reset(p);
	spin_lock_init(&p->alloc_lock);
	raw_spin_lock_init(&p->pi_lock);
	INIT_LIST_HEAD(&p->children);
	INIT_LIST_HEAD(&p->sibling);
	INIT_LIST_HEAD(&p->tasks);
	INIT_LIST_HEAD(&p->thread_node);
	for (int type = 0; type < PIDTYPE_MAX; type++)
		INIT_LIST_HEAD(&p->pid_links[type]);
}

/* What would make no sense, or what there is not. */
static int check_clone_flags(unsigned long flags)
{
	if (flags & (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
		     CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
		     CLONE_NEWNET | CLONE_PIDFD | CLONE_PTRACE))
		return -EINVAL;
	if (flags & CLONE_THREAD && !(flags & CLONE_SIGHAND))
		return -EINVAL;
	if (flags & CLONE_SIGHAND && !(flags & CLONE_VM))
		return -EINVAL;
	/* Init's siblings would be nobody's children. */
	if (flags & CLONE_PARENT && current->signal->flags & SIGNAL_UNKILLABLE)
		return -EINVAL;
	return 0;
}

/* With tasklist_lock held: from now on everybody can find it. */
static void add_to_lists(struct task_struct *p,
			 const struct kernel_clone_args *args)
{
	struct signal_struct *sig = p->signal;

	if (thread_group_leader(p)) {
		sig->pids[PIDTYPE_TGID] = p->thread_pid;
		sig->pids[PIDTYPE_PGID] = task_pgrp(current);
		sig->pids[PIDTYPE_SID] = task_session(current);
		if (p->pid == 1)
			sig->flags |= SIGNAL_UNKILLABLE;
		sig->tty = current->signal->tty;
		list_add_tail(&p->sibling, &p->real_parent->children);
		attach_pid(p, PIDTYPE_TGID);
		attach_pid(p, PIDTYPE_PGID);
		attach_pid(p, PIDTYPE_SID);
	} else {
		sig->nr_threads++;
		atomic_inc(&sig->live);
		refcount_inc(&sig->sigcnt);
		list_add_tail(&p->thread_node, &sig->thread_head);
	}
	attach_pid(p, PIDTYPE_PID);
	total_forks++;
	nr_threads++;
	list_add_tail(&p->tasks, &init_task.tasks);
}

/*
 * CLONE_PARENT makes a sibling, everything else a child. Takes tasklist_lock,
 * then siglock; from here on others find the task.
 */
static int link_process(struct task_struct *p,
			const struct kernel_clone_args *args)
{
	int err = 0;

	spin_lock(&tasklist_lock);
	p->real_parent = args->flags & (CLONE_PARENT | CLONE_THREAD) ?
			 current->real_parent : current;
	spin_lock_irq(&current->sighand->siglock);
	/* What is to end the process must not miss this thread. */
	if (fatal_signal_pending(current))
		err = -EINTR;
	else
		add_to_lists(p, args);
	spin_unlock_irq(&current->sighand->siglock);
	spin_unlock(&tasklist_lock);
	return err;
}

/*
 * A whole task, that others can find, but does not run yet: wake_up_new_task()
 * starts it. May sleep; after an error nothing is left of it.
 */
static struct task_struct *
copy_process(const struct kernel_clone_args *args)
{
	unsigned long flags = args->flags;
	struct task_struct *p;
	struct pid *pid = &init_struct_pid;
	int err = check_clone_flags(flags);

	if (err)
		return ERR_PTR(err);
	/* A signal to the group comes before or after the fork, to both. */
	if (!(flags & CLONE_THREAD) && !args->kthread && current->mm &&
	    signal_pending(current))
		return ERR_PTR(-ERESTARTNOINTR);
	if (!args->kthread && READ_ONCE(nr_threads) >= max_threads)
		return ERR_PTR(-EAGAIN);
	p = dup_task_struct(current);
	if (!p)
		return ERR_PTR(-ENOMEM);
	reset_task(p, args);
	if (args->kthread && !set_kthread_struct(p)) {
		err = -ENOMEM;
		goto bad_fork_free;
	}
	err = sched_fork(flags, p);
	if (err)
		goto bad_fork_free;
	err = copy_files(flags, p);
	if (err)
		goto bad_fork_free;
	err = copy_fs(flags, p);
	if (err)
		goto bad_fork_cleanup_files;
	err = copy_sighand(flags, p);
	if (err)
		goto bad_fork_cleanup_fs;
	err = copy_signal(flags, p);
	if (err)
		goto bad_fork_cleanup_sighand;
	err = copy_mm(flags, p);
	if (err)
		goto bad_fork_cleanup_signal;
	err = copy_thread(p, args);
	if (err)
		goto bad_fork_cleanup_mm;
	if (!args->idle) {
		pid = alloc_pid();
		if (IS_ERR(pid)) {
			err = PTR_ERR(pid);
			goto bad_fork_cleanup_mm;
		}
	}
	p->thread_pid = pid;
	p->pid = pid_nr(pid);
	p->tgid = flags & CLONE_THREAD ? current->tgid : p->pid;
	if (!args->idle) {
		err = link_process(p, args);
		if (err)
			goto bad_fork_free_pid;
	}
	uprobe_copy_process(p, flags);
	trace_task_newtask(p, flags);
	return p;

bad_fork_free_pid:
	free_pid(pid);
bad_fork_cleanup_mm:
	if (p->mm)
		mmput(p->mm);
bad_fork_cleanup_signal:
	if (!(flags & CLONE_THREAD))
		put_signal_struct(p->signal);
bad_fork_cleanup_sighand:
	__cleanup_sighand(p->sighand);
bad_fork_cleanup_fs:
	exit_fs(p);
bad_fork_cleanup_files:
	exit_files(p);
bad_fork_free:
	free_task(p);
	return ERR_PTR(err);
}

/* The child has its own program, or a signal ends the caller first. */
static void wait_for_vfork_done(struct task_struct *child,
				struct completion *vfork)
{
	if (wait_for_completion_killable(vfork)) {
		task_lock(child);
		child->vfork_done = NULL;
		task_unlock(child);
	}
	put_task_struct(child);
}

/*
 * The new task's number, or an error. May sleep; with CLONE_VFORK, until the
 * child has ended or executed a program.
 */
pid_t kernel_clone(struct kernel_clone_args *args)
{
	DECLARE_COMPLETION_ONSTACK(vfork);
	struct task_struct *p;
	pid_t nr;

	p = copy_process(args);
	if (IS_ERR(p))
		return PTR_ERR(p);
	ftrace_sched_process_fork(current, p);
	trace_sched_process_fork(current, p);
	nr = p->pid;
	if (args->flags & CLONE_PARENT_SETTID)
		put_user(nr, args->parent_tid);
	if (args->flags & CLONE_VFORK) {
		p->vfork_done = &vfork;
		get_task_struct(p);
	}
	wake_up_new_task(p);
	if (args->flags & CLONE_VFORK)
		wait_for_vfork_done(p, &vfork);
	return nr;
}

/* A thread that stays in the kernel. */
pid_t kernel_thread(int (*fn)(void *), void *arg, unsigned long flags)
{
	struct kernel_clone_args args = {
		.flags = (flags | CLONE_VM) & ~CSIGNAL,
		.exit_signal = flags & CSIGNAL,
		.fn = fn,
		.fn_arg = arg,
		.kthread = true,
	};

	return kernel_clone(&args);
}

/* A thread whose function ends by becoming a program. */
pid_t user_mode_thread(int (*fn)(void *), void *arg, unsigned long flags)
{
	struct kernel_clone_args args = {
		.flags = (flags | CLONE_VM) & ~CSIGNAL,
		.exit_signal = flags & CSIGNAL,
		.fn = fn,
		.fn_arg = arg,
	};

	return kernel_clone(&args);
}

/* What another CPU starts as; NULL if there is no memory for it. */
struct task_struct *fork_idle(int cpu)
{
	struct kernel_clone_args args = {
		.flags = CLONE_VM | CLONE_FS | CLONE_FILES,
		.kthread = true,
		.idle = true,
	};
	struct task_struct *p = copy_process(&args);

	if (IS_ERR(p))
		return NULL;
	p->real_parent = current;
	p->signal->pids[PIDTYPE_TGID] = &init_struct_pid;
	p->signal->pids[PIDTYPE_PGID] = &init_struct_pid;
	p->signal->pids[PIDTYPE_SID] = &init_struct_pid;
	p->active_mm = &init_mm;
	mmgrab(&init_mm);
	init_idle(p, cpu);
	return p;
}

static const int max_threads_max = FUTEX_TID_MASK;

static struct ctl_table fork_sysctls[] = {
	{
		.procname	= "threads-max",
		.data		= &max_threads,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= (void *)&max_threads_max,
	},
	{ }
};

static int __init fork_sysctl_init(void)
{
	register_sysctl_init("kernel", fork_sysctls);
	return 0;
}
device_initcall(fork_sysctl_init);
