/* SPDX-License-Identifier: GPL-2.0-only */
/* Making tasks. */
#include <linux/completion.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

/* The list of all tasks, and who is whose child. */
DEFINE_SPINLOCK(tasklist_lock);

static struct kmem_cache *task_struct_cachep;

void __init fork_init(void)
{
	task_struct_cachep = kmem_cache_create("task_struct",
					       sizeof(struct task_struct), 64,
					       SLAB_PANIC, NULL);
	thread_stack_init();
}

/* Nobody will run on it any more. */
void put_task_stack(struct task_struct *p)
{
	free_thread_stack(p->stack);
	p->stack = NULL;
}

static void free_task(struct task_struct *p)
{
	if (p->stack)
		put_task_stack(p);
	free_kthread_struct(p);
	kmem_cache_free(task_struct_cachep, p);
}

void __put_task_struct(struct task_struct *p)
{
	free_task(p);
}

static void arch_dup_task_struct(struct task_struct *dst,
					  struct task_struct *src)
{
	memcpy(dst, src, sizeof(*dst));
}

/* Tracing has replaced no return address of a task that has not run. */
static void ftrace_graph_init_task(struct task_struct *p)
{
	p->curr_ret_stack = -1;
	p->trace_overrun = 0;
	p->ftrace_timestamp = 0;
}

static struct task_struct *dup_task_struct(struct task_struct *orig)
{
	struct task_struct *p;

	p = kmem_cache_alloc(task_struct_cachep, GFP_KERNEL);
	if (!p)
		return NULL;
	arch_dup_task_struct(p, orig);
	p->stack = alloc_thread_stack_node();
	if (!p->stack) {
		kmem_cache_free(task_struct_cachep, p);
		return NULL;
	}
	set_task_stack_end_magic(p);
	ftrace_graph_init_task(p);
	/* One for its parent's wait, one for its last switch. */
	refcount_set(&p->rcu_users, 2);
	refcount_set(&p->usage, 1);
	p->thread_info_flags = 0;
	return p;
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
	p->flags &= ~(PF_IDLE | PF_KTHREAD | PF_WQ_WORKER);
	p->flags |= PF_FORKNOEXEC;
	if (args->kthread)
		p->flags |= PF_KTHREAD;
	p->worker_private = NULL;
	p->rcu_read_lock_nesting = 0;
	p->rcu_read_unlock_special = 0;
	INIT_LIST_HEAD(&p->rcu_node_entry);
	p->exit_state = 0;
	p->exit_code = 0;
	p->exit_signal = args->exit_signal;
	p->vfork_done = NULL;
	p->set_child_tid = args->flags & CLONE_CHILD_SETTID ?
			   args->child_tid : NULL;
	p->clear_child_tid = args->flags & CLONE_CHILD_CLEARTID ?
			     args->child_tid : NULL;
	p->utime = 0;
	p->stime = 0;
	p->pending = 0;
	spin_lock_init(&p->siglock);
	raw_spin_lock_init(&p->pi_lock);
	INIT_LIST_HEAD(&p->children);
	INIT_LIST_HEAD(&p->sibling);
	INIT_LIST_HEAD(&p->tasks);
}

/* All of a task but its place in the lists; it does not run yet. */
static struct task_struct *
copy_process(const struct kernel_clone_args *args)
{
	struct task_struct *p = dup_task_struct(current);
	int err = -ENOMEM;

	if (!p)
		return ERR_PTR(-ENOMEM);
	reset_task(p, args);
	if (args->kthread && !set_kthread_struct(p))
		goto bad_fork_free;
	sched_fork(p);
	err = copy_files(args->flags, p);
	if (err)
		goto bad_fork_free;
	err = copy_fs(args->flags, p);
	if (err)
		goto bad_fork_cleanup_files;
	err = copy_mm(args->flags, p);
	if (err)
		goto bad_fork_cleanup_fs;
	err = copy_thread(p, args);
	if (err)
		goto bad_fork_cleanup_mm;
	p->pid = 0;
	if (!args->idle) {
		err = alloc_pid();
		if (err < 0)
			goto bad_fork_cleanup_mm;
		p->pid = err;
	}
	p->tgid = p->pid;
	return p;

bad_fork_cleanup_mm:
	if (p->mm)
		mmput(p->mm);
bad_fork_cleanup_fs:
	exit_fs(p);
bad_fork_cleanup_files:
	exit_files(p);
bad_fork_free:
	free_task(p);
	return ERR_PTR(err);
}

/* CLONE_PARENT makes a sibling, everything else a child. */
static void link_process(struct task_struct *p, unsigned long flags)
{
	spin_lock(&tasklist_lock);
	p->real_parent = flags & CLONE_PARENT ? current->real_parent : current;
	list_add_tail(&p->sibling, &p->real_parent->children);
	list_add_tail(&p->tasks, &init_task.tasks);
	spin_unlock(&tasklist_lock);
}

static void wait_for_vfork_done(struct completion *vfork)
{
	wait_for_completion(vfork);
}

/* The new task's number, or an error. */
pid_t kernel_clone(struct kernel_clone_args *args)
{
	DECLARE_COMPLETION_ONSTACK(vfork);
	struct task_struct *p;
	pid_t nr;

	p = copy_process(args);
	if (IS_ERR(p))
		return PTR_ERR(p);
	nr = p->pid;
	if (args->flags & CLONE_PARENT_SETTID)
		put_user(nr, args->parent_tid);
	if (args->flags & CLONE_VFORK)
		p->vfork_done = &vfork;
	link_process(p, args->flags);
	wake_up_new_task(p);
	if (args->flags & CLONE_VFORK)
		wait_for_vfork_done(&vfork);
	return nr;
}

/* A thread that stays in the kernel. */
pid_t kernel_thread(int (*fn)(void *), void *arg, unsigned long flags)
{
	struct kernel_clone_args args = {
		.flags = flags | CLONE_VM,
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
		.flags = flags | CLONE_VM,
		.exit_signal = SIGCHLD,
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
	p->active_mm = &init_mm;
	mmgrab(&init_mm);
	init_idle(p, cpu);
	return p;
}

SYSCALL_DEFINE0(fork)
{
	struct kernel_clone_args args = { .exit_signal = SIGCHLD };

	return kernel_clone(&args);
}

SYSCALL_DEFINE0(vfork)
{
	struct kernel_clone_args args = {
		.flags = CLONE_VFORK | CLONE_VM,
		.exit_signal = SIGCHLD,
	};

	return kernel_clone(&args);
}

/* Processes only: what threads of one process share is not shared here. */
SYSCALL_DEFINE5(clone, unsigned long, flags, unsigned long, newsp,
		int __user *, parent_tid, int __user *, child_tid,
		unsigned long, tls)
{
	struct kernel_clone_args args = {
		.flags = flags & ~CSIGNAL,
		.exit_signal = flags & CSIGNAL,
		.stack = newsp,
		.parent_tid = parent_tid,
		.child_tid = child_tid,
		.tls = tls,
	};

	if (flags & (CLONE_THREAD | CLONE_SIGHAND))
		return -EINVAL;
	return kernel_clone(&args);
}

SYSCALL_DEFINE1(set_tid_address, int __user *, tidptr)
{
	current->clear_child_tid = tidptr;
	return task_pid_nr(current);
}
