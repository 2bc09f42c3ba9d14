/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks, and what the threads of a process share: allocating, copying, freeing. */
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fork.h"

static struct kmem_cache *task_struct_cachep, *signal_cachep, *sighand_cachep;

void __init task_caches_init(void)
{
	task_struct_cachep = kmem_cache_create("task_struct",
					       sizeof(struct task_struct), 64,
					       SLAB_PANIC, NULL);
	signal_cachep = kmem_cache_create("signal_cache",
					  sizeof(struct signal_struct), 64,
					  SLAB_PANIC, NULL);
	sighand_cachep = kmem_cache_create("sighand_cache",
					   sizeof(struct sighand_struct), 64,
					   SLAB_PANIC, NULL);
}

/* Nobody will run on it any more. */
void put_task_stack(struct task_struct *p)
{
	free_thread_stack(p->stack);
	p->stack = NULL;
}

void free_task(struct task_struct *p)
{
	if (p->stack)
		put_task_stack(p);
	if (p->flags & PF_KTHREAD)
		free_kthread_struct(p);
	kmem_cache_free(task_struct_cachep, p);
}

void __cleanup_sighand(struct sighand_struct *sighand)
{
	if (sighand != &init_sighand && refcount_dec_and_test(&sighand->count))
		kmem_cache_free(sighand_cachep, sighand);
}

void put_signal_struct(struct signal_struct *sig)
{
	if (!refcount_dec_and_test(&sig->sigcnt))
		return;
	put_pid(sig->tty_old_pgrp);
	kmem_cache_free(signal_cachep, sig);
}

void __put_task_struct(struct task_struct *p)
{
	put_signal_struct(p->signal);
	free_task(p);
}

static void arch_dup_task_struct(struct task_struct *dst,
				 struct task_struct *src)
{
	memcpy(dst, src, sizeof(*dst));
}

struct task_struct *dup_task_struct(struct task_struct *orig)
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
	p->rethooks = 0;
	p->kretprobe_instances = NULL;
	p->wake_q.next = NULL;		/* as the parent may be about to be woken */
	/* One for its parent's wait, one for its last switch. */
	refcount_set(&p->rcu_users, 2);
	refcount_set(&p->usage, 1);
	p->thread_info_flags = 0;
	return p;
}

int copy_sighand(unsigned long clone_flags, struct task_struct *p)
{
	struct sighand_struct *sig;

	if (clone_flags & CLONE_SIGHAND) {
		refcount_inc(&current->sighand->count);
		return 0;
	}
	sig = kmem_cache_alloc(sighand_cachep, GFP_KERNEL);
	if (!sig)
		return -ENOMEM;
	refcount_set(&sig->count, 1);
	spin_lock_init(&sig->siglock);
	spin_lock_irq(&current->sighand->siglock);
	memcpy(sig->action, current->sighand->action, sizeof(sig->action));
	spin_unlock_irq(&current->sighand->siglock);
	p->sighand = sig;
	return 0;
}

/* execve: handlers shared with another process are copied. */
int unshare_sighand(struct task_struct *me)
{
	struct sighand_struct *old = me->sighand;
	int err;

	if (atomic_read(&old->count.refs) == 1)
		return 0;
	err = copy_sighand(0, me);
	if (!err)
		__cleanup_sighand(old);
	return err;
}

int copy_signal(unsigned long clone_flags, struct task_struct *p)
{
	struct signal_struct *sig, *old = current->signal;

	if (clone_flags & CLONE_THREAD)
		return 0;
	sig = kmem_cache_zalloc(signal_cachep, GFP_KERNEL);
	if (!sig)
		return -ENOMEM;
	refcount_set(&sig->sigcnt, 1);
	atomic_set(&sig->live, 1);
	sig->nr_threads = 1;
	INIT_LIST_HEAD(&sig->thread_head);
	list_add(&p->thread_node, &sig->thread_head);
	init_waitqueue_head(&sig->wait_chldexit);
	sig->curr_target = p;
	init_sigpending(&sig->shared_pending);
	INIT_LIST_HEAD(&sig->posix_timers);
	hrtimer_init(&sig->real_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	sig->real_timer.function = it_real_fn;
	sig->has_child_subreaper = old->has_child_subreaper ||
				   old->is_child_subreaper;
	spin_lock_irq(&current->sighand->siglock);
	memcpy(sig->rlim, old->rlim, sizeof(sig->rlim));
	sig->oom_score_adj = old->oom_score_adj;
	sig->oom_victim = false;
	spin_unlock_irq(&current->sighand->siglock);
	p->signal = sig;
	return 0;
}
