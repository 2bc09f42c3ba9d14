/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of tasks. */
#include <linux/completion.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/ftrace.h>
#include <linux/futex.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/posix-timers.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/syscalls.h>
#include <linux/tlbflush.h>
#include <linux/tty.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <trace/events/sched.h>
#include "exit.h"

static void complete_vfork_done(struct task_struct *tsk)
{
	struct completion *vfork;

	task_lock(tsk);
	vfork = tsk->vfork_done;
	if (vfork) {
		tsk->vfork_done = NULL;
		complete(vfork);
	}
	task_unlock(tsk);
}

/* The program is no longer in its parent's way, nor in other threads'. */
void mm_release(struct task_struct *p, struct mm_struct *mm)
{
	uprobe_free_utask(p);
	deactivate_mm(p, mm);
	if (p->clear_child_tid) {
		if (mm && atomic_read(&mm->mm_users) > 1 &&
		    !put_user(0, p->clear_child_tid))
			do_futex((u32 __user *)p->clear_child_tid, FUTEX_WAKE,
				 1, NULL, NULL, 0, 0);
		p->clear_child_tid = NULL;
	}
	complete_vfork_done(p);
}

/*
 * May sleep: the last user of the address space frees it. Its page tables stay
 * in use until another one is loaded.
 */
static void exit_mm(void)
{
	struct task_struct *p = current;
	struct mm_struct *mm = p->mm;

	exit_robust_list(p);
	mm_release(p, mm);
	if (!mm)
		return;
	if (!atomic_read(&p->signal->live))
		setmax_mm_hiwater_rss(&p->signal->usage.maxrss, mm);
	mmgrab(mm);
	task_lock(p);
	local_irq_disable();
	p->mm = NULL;
	enter_lazy_tlb(mm, p);
	local_irq_enable();
	task_unlock(p);
	mmput(mm);
}

/*
 * Off the lists: nobody finds it any more. With tasklist_lock and siglock held.
 */
static void __unhash_process(struct task_struct *p, bool group_dead)
{
	nr_threads--;
	p->signal->nr_threads--;
	detach_pid(p, PIDTYPE_PID);
	if (group_dead) {
		detach_pid(p, PIDTYPE_TGID);
		detach_pid(p, PIDTYPE_PGID);
		detach_pid(p, PIDTYPE_SID);
	}
	list_del_init(&p->tasks);
	list_del_init(&p->sibling);
	list_del_init(&p->thread_node);
}

/*
 * Its share of the process goes; the last one takes the process with it. With
 * tasklist_lock held; takes siglock.
 */
static void __exit_signal(struct task_struct *tsk)
{
	struct signal_struct *sig = tsk->signal;
	bool group_dead = thread_group_leader(tsk);
	struct sighand_struct *sighand = tsk->sighand;

	spin_lock_irq(&sighand->siglock);
	if (!group_dead) {
		if (sig->notify_count > 0 && !--sig->notify_count)
			wake_up_process(sig->group_exec_task);
		if (tsk == sig->curr_target)
			sig->curr_target =
				list_is_last(&tsk->thread_node,
					     &sig->thread_head) ?
				list_first_entry(&sig->thread_head,
						 struct task_struct,
						 thread_node) :
				list_next_entry(tsk, thread_node);
	}
	add_task_usage(&sig->usage, tsk);
	__unhash_process(tsk, group_dead);
	flush_sigqueue(&tsk->pending);
	if (group_dead)
		flush_sigqueue(&sig->shared_pending);
	tsk->sighand = NULL;
	spin_unlock_irq(&sighand->siglock);
	__cleanup_sighand(sighand);
	clear_bit(TIF_SIGPENDING, &tsk->thread_info_flags);
}

/*
 * What is left of a task: the caller has made it EXIT_DEAD, so nobody else
 * releases it. Called with no lock held. Drops one reference; the last switch
 * drops the other.
 */
void release_task(struct task_struct *p)
{
	struct task_struct *leader;
	bool zap_leader;

	do {
		zap_leader = false;
		spin_lock(&tasklist_lock);
		__exit_signal(p);
		/* A dead leader waits for its threads to be gone. */
		leader = p->group_leader;
		if (leader != p && thread_group_empty(leader) &&
		    leader->exit_state == EXIT_ZOMBIE) {
			zap_leader = do_notify_parent(leader,
						      leader->exit_signal);
			if (zap_leader)
				leader->exit_state = EXIT_DEAD;
		}
		spin_unlock(&tasklist_lock);
		put_task_struct_rcu_user(p);
		p = leader;
	} while (zap_leader);
}

/*
 * After a grace period, in a softirq: nobody who found it under RCU looks at
 * it.
 */
static void delayed_put_task_struct(struct rcu_head *rhp)
{
	struct task_struct *tsk = container_of(rhp, struct task_struct, rcu);

	trace_sched_process_free(tsk);
	ftrace_sched_process_free(tsk);
	kprobe_flush_task(tsk);
	put_task_struct(tsk);
}

/*
 * In any context; the second of its two calls has the task freed after a grace
 * period.
 */
void put_task_struct_rcu_user(struct task_struct *p)
{
	if (refcount_dec_and_test(&p->rcu_users))
		call_rcu(&p->rcu, delayed_put_task_struct);
}

/*
 * Has nobody outside the group, but in its session, control over it? With
 * tasklist_lock held.
 */
static bool will_become_orphaned_pgrp(struct pid *pgrp,
				      struct task_struct *ignored)
{
	struct task_struct *p, *parent;

	do_each_pid_task(pgrp, PIDTYPE_PGID, p) {
		parent = p->real_parent;
		if (p == ignored ||
		    (p->exit_state && thread_group_empty(p)) ||
		    is_global_init(parent))
			continue;
		if (task_pgrp(parent) != pgrp &&
		    task_session(parent) == task_session(p))
			return false;
	}
	return true;
}

bool is_current_pgrp_orphaned(void)
{
	bool orphaned;

	spin_lock_irq(&tasklist_lock);
	orphaned = will_become_orphaned_pgrp(task_pgrp(current), NULL);
	spin_unlock_irq(&tasklist_lock);
	return orphaned;
}

static bool has_stopped_jobs(struct pid *pgrp)
{
	struct task_struct *p;

	do_each_pid_task(pgrp, PIDTYPE_PGID, p)
		if (p->signal->flags & SIGNAL_STOP_STOPPED)
			return true;
	return false;
}

/*
 * Nobody will be able to continue what @tsk's end leaves stopped. With
 * tasklist_lock held.
 */
static void kill_orphaned_pgrp(struct task_struct *tsk,
			       struct task_struct *parent)
{
	struct pid *pgrp = task_pgrp(tsk);
	struct task_struct *ignored = tsk;

	if (!parent)
		parent = tsk->real_parent;	/* @tsk itself ends */
	else
		ignored = NULL;			/* its father does */
	if (task_pgrp(parent) != pgrp &&
	    task_session(parent) == task_session(tsk) &&
	    will_become_orphaned_pgrp(pgrp, ignored) &&
	    has_stopped_jobs(pgrp)) {
		__kill_pgrp_info(SIGHUP, SEND_SIG_PRIV, pgrp);
		__kill_pgrp_info(SIGCONT, SEND_SIG_PRIV, pgrp);
	}
}

static struct task_struct *find_alive_thread(struct task_struct *p)
{
	struct task_struct *t;

	for_each_thread(p, t)
		if (!(t->flags & PF_EXITING))
			return t;
	return NULL;
}

/*
 * Another thread, an ancestor that has asked for it, or init. With
 * tasklist_lock held.
 */
static struct task_struct *find_new_reaper(struct task_struct *father,
					   struct task_struct *init)
{
	struct task_struct *reaper = find_alive_thread(father), *thread;

	if (reaper)
		return reaper;
	if (!father->signal->has_child_subreaper)
		return init;
	for (reaper = father->real_parent;
	     reaper != init && reaper->pid; reaper = reaper->real_parent) {
		if (!reaper->signal->is_child_subreaper)
			continue;
		thread = find_alive_thread(reaper);
		if (thread)
			return thread;
	}
	return init;
}

/* A child that is dead is told of again; true: the new parent does not care. */
static bool reparent_leader(struct task_struct *father, struct task_struct *p)
{
	bool dead = false;

	if (p->exit_state == EXIT_DEAD)
		return false;
	p->exit_signal = SIGCHLD;
	if (p->exit_state == EXIT_ZOMBIE && thread_group_empty(p) &&
	    do_notify_parent(p, p->exit_signal)) {
		p->exit_state = EXIT_DEAD;
		dead = true;
	}
	kill_orphaned_pgrp(p, father);
	return dead;
}

/*
 * Somebody else takes over the children. With tasklist_lock held; those on
 * @dead are the caller's to release, without it.
 */
static void forget_original_parent(struct task_struct *father,
				   struct list_head *dead)
{
	struct task_struct *init = find_task_by_vpid(1);
	struct task_struct *p, *next, *t, *reaper;

	if (list_empty(&father->children))
		return;
	reaper = find_new_reaper(father, init);
	list_for_each_entry_safe(p, next, &father->children, sibling) {
		for_each_thread(p, t) {
			t->real_parent = reaper;
			if (t->pdeath_signal)
				group_send_sig_info(t->pdeath_signal,
						    SEND_SIG_NOINFO, t,
						    PIDTYPE_TGID);
		}
		list_move_tail(&p->sibling, &reaper->children);
		if (!same_thread_group(reaper, father) &&
		    reparent_leader(father, p))
			list_move_tail(&p->sibling, dead);
	}
}

/*
 * Takes tasklist_lock. The caller releases the tasks that are left on @dead
 * and, if the result is true, @tsk.
 */
static bool exit_notify(struct task_struct *tsk, bool group_dead,
			struct list_head *dead)
{
	bool autoreap = true;

	spin_lock(&tasklist_lock);
	forget_original_parent(tsk, dead);
	if (group_dead)
		kill_orphaned_pgrp(tsk->group_leader, NULL);
	tsk->exit_state = EXIT_ZOMBIE;
	if (thread_group_leader(tsk))
		autoreap = thread_group_empty(tsk) &&
			   do_notify_parent(tsk, tsk->exit_signal);
	if (autoreap)
		tsk->exit_state = EXIT_DEAD;
	/* execve in another thread waits for this leader. */
	if (unlikely(tsk->signal->notify_count < 0))
		wake_up_process(tsk->signal->group_exec_task);
	spin_unlock(&tasklist_lock);
	return autoreap;
}

static void release_dead(struct list_head *dead)
{
	struct task_struct *p, *next;

	list_for_each_entry_safe(p, next, dead, sibling) {
		list_del_init(&p->sibling);
		release_task(p);
	}
}

/*
 * Called by the task itself with no lock held and interrupts on; never returns.
 * Until do_task_dead() it may sleep.
 */
void do_exit(long code)
{
	struct task_struct *p = current;
	LIST_HEAD(dead);
	bool group_dead;

	if (unlikely(in_interrupt()))
		panic("exit of a task in interrupt context");
	if (unlikely(!p->pid))
		panic("exit of the idle task");

	exit_signals(p);
	group_dead = atomic_dec_and_test(&p->signal->live);
	if (group_dead && unlikely(is_global_init(p)))
		panic("init died: status %08x",
		      p->signal->group_exit_code ?: (int)code);
	if (group_dead) {
		hrtimer_cancel(&p->signal->real_timer);
		exit_itimers(p);
	}
	p->exit_code = code;
	exit_mm();
	trace_sched_process_exit(p);
	exit_files(p);
	exit_fs(p);
	if (group_dead && p->signal->leader)
		disassociate_ctty(1);
	exit_tasks_rcu_start();
	if (exit_notify(p, group_dead, &dead))
		release_task(p);
	release_dead(&dead);
	do_task_dead();
}

/*
 * All threads of the process end, with the code that the first one gives.
 * Called with no lock held and interrupts on; never returns.
 */
void do_group_exit(int exit_code)
{
	struct signal_struct *sig = current->signal;

	spin_lock_irq(&current->sighand->siglock);
	if (sig->flags & SIGNAL_GROUP_EXIT) {
		exit_code = sig->group_exit_code;
	} else if (sig->group_exec_task) {
		exit_code = 0;
	} else {
		sig->group_exit_code = exit_code;
		sig->flags = (sig->flags & ~SIGNAL_STOP_MASK) |
			     SIGNAL_GROUP_EXIT;
		zap_other_threads(current);
	}
	spin_unlock_irq(&current->sighand->siglock);
	do_exit(exit_code);
}

SYSCALL_DEFINE1(exit, int, error_code)
{
	do_exit((error_code & 0xff) << 8);
}

SYSCALL_DEFINE1(exit_group, int, error_code)
{
	do_group_exit((error_code & 0xff) << 8);
}
