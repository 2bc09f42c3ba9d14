/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of tasks. */
#include <linux/completion.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <asm/tlbflush.h>
#include "exit.h"

/* The program is no longer in its parent's way. */
void mm_release(struct task_struct *p)
{
	struct completion *vfork = p->vfork_done;

	if (p->clear_child_tid) {
		put_user(0, p->clear_child_tid);
		p->clear_child_tid = NULL;
	}
	if (vfork) {
		p->vfork_done = NULL;
		complete(vfork);
	}
}

/* The page tables stay in use until another address space is loaded. */
static void exit_mm(void)
{
	struct task_struct *p = current;
	struct mm_struct *mm = p->mm;

	mm_release(p);
	if (!mm)
		return;
	mmgrab(mm);
	preempt_disable();
	local_irq_disable();
	p->mm = NULL;
	enter_lazy_tlb(mm, p);
	local_irq_enable();
	preempt_enable();
	mmput(mm);
}

/* Off the lists: nobody finds it any more. With tasklist_lock held. */
static void __unhash_process(struct task_struct *p)
{
	list_del_init(&p->tasks);
	list_del_init(&p->sibling);
}

/* What is left of a task that has been waited for. */
void release_task(struct task_struct *p)
{
	spin_lock(&tasklist_lock);
	__unhash_process(p);
	spin_unlock(&tasklist_lock);
	free_pid(p->pid);
	put_task_struct_rcu_user(p);
}

static void delayed_put_task_struct(struct rcu_head *rhp)
{
	put_task_struct(container_of(rhp, struct task_struct, rcu));
}

void put_task_struct_rcu_user(struct task_struct *p)
{
	if (refcount_dec_and_test(&p->rcu_users))
		call_rcu(&p->rcu, delayed_put_task_struct);
}

/* Init takes over the children; those that are dead it must hear of. */
static void forget_original_parent(struct task_struct *father)
{
	struct task_struct *p, *next, *reaper = find_task_by_vpid(1);

	list_for_each_entry_safe(p, next, &father->children, sibling) {
		p->real_parent = reaper;
		list_move_tail(&p->sibling, &reaper->children);
		if (p->exit_state == EXIT_ZOMBIE)
			do_notify_parent(p);
	}
}

/* Returns whether the task is to be released at once. */
static bool exit_notify(struct task_struct *p)
{
	bool autoreap;

	spin_lock(&tasklist_lock);
	forget_original_parent(p);
	autoreap = do_notify_parent(p);
	p->exit_state = autoreap ? EXIT_DEAD : EXIT_ZOMBIE;
	spin_unlock(&tasklist_lock);
	return autoreap;
}

/*
 * The last switch. In between, the stack and the task are still in use: the
 * task that runs next drops the last reference.
 */
static __noreturn void do_task_dead(void)
{
	preempt_disable();
	/* A waker of before may still hold pi_lock and look at our state. */
	raw_spin_lock_irq(&current->pi_lock);
	WRITE_ONCE(current->__state, TASK_DEAD);
	raw_spin_unlock_irq(&current->pi_lock);
	preempt_enable_no_resched();
	schedule();
	BUG();
}

void do_exit(long code)
{
	struct task_struct *p = current;

	if (unlikely(in_interrupt()))
		panic("exit of a task in interrupt context");
	if (unlikely(!p->pid))
		panic("exit of the idle task");
	if (unlikely(p->pid == 1))
		panic("init died: status %08lx", code);

	p->flags |= PF_EXITING;
	p->exit_code = code;
	exit_mm();
	exit_files(p);
	exit_fs(p);
	if (exit_notify(p))
		release_task(p);
	do_task_dead();
}

void do_group_exit(int code)
{
	do_exit(code);
}

SYSCALL_DEFINE1(exit, int, error_code)
{
	do_exit((error_code & 0xff) << 8);
}

SYSCALL_DEFINE1(exit_group, int, error_code)
{
	do_group_exit((error_code & 0xff) << 8);
}
