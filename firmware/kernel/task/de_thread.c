/* SPDX-License-Identifier: GPL-2.0-only */
/* execve in a process with threads: one remains, and is the leader. */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "exit.h"

/* Something else ends the process meanwhile. */
static void give_up(struct task_struct *tsk)
{
	struct signal_struct *sig = tsk->signal;

	spin_lock_irq(&tsk->sighand->siglock);
	sig->group_exec_task = NULL;
	sig->notify_count = 0;
	spin_unlock_irq(&tsk->sighand->siglock);
}

/*
 * Sleeps until all others but a leader have been released. With no lock held.
 */
static int end_other_threads(struct task_struct *tsk)
{
	struct signal_struct *sig = tsk->signal;
	spinlock_t *lock = &tsk->sighand->siglock;

	spin_lock_irq(lock);
	if (sig->flags & SIGNAL_GROUP_EXIT || sig->group_exec_task) {
		/* Another thread does the same, or all end. */
		spin_unlock_irq(lock);
		return -EAGAIN;
	}
	sig->group_exec_task = tsk;
	sig->notify_count = zap_other_threads(tsk);
	if (!thread_group_leader(tsk))
		sig->notify_count--;
	while (sig->notify_count) {
		set_current_state(TASK_KILLABLE);
		spin_unlock_irq(lock);
		schedule();
		if (__fatal_signal_pending(tsk)) {
			give_up(tsk);
			return -EAGAIN;
		}
		spin_lock_irq(lock);
	}
	__set_current_state(TASK_RUNNING);
	spin_unlock_irq(lock);
	return 0;
}

/* With tasklist_lock held: @tsk takes everything by which @leader is known. */
static void take_over(struct task_struct *tsk, struct task_struct *leader)
{
	exchange_tids(tsk, leader);
	transfer_pid(leader, tsk, PIDTYPE_TGID);
	transfer_pid(leader, tsk, PIDTYPE_PGID);
	transfer_pid(leader, tsk, PIDTYPE_SID);
	list_move(&tsk->sibling, &leader->sibling);
	list_del_init(&leader->sibling);
	tsk->group_leader = tsk;
	leader->group_leader = tsk;
	if (tsk->signal->real_timer_task == leader)
		tsk->signal->real_timer_task = tsk;
	tsk->exit_signal = SIGCHLD;
	leader->exit_signal = -1;
	leader->exit_state = EXIT_DEAD;
}

/*
 * Sleeps until the leader is dead, takes its place and releases it. With no
 * lock held.
 */
static int replace_leader(struct task_struct *tsk)
{
	struct task_struct *leader = tsk->group_leader;

	for (;;) {
		spin_lock(&tasklist_lock);
		tsk->signal->notify_count = -1;
		if (leader->exit_state)
			break;
		set_current_state(TASK_KILLABLE);
		spin_unlock(&tasklist_lock);
		schedule();
		if (__fatal_signal_pending(tsk)) {
			give_up(tsk);
			return -EAGAIN;
		}
	}
	__set_current_state(TASK_RUNNING);
	take_over(tsk, leader);
	spin_unlock(&tasklist_lock);
	release_task(leader);
	return 0;
}

/*
 * Called by execve with no lock held; may sleep. 0: @tsk is the only thread,
 * and the leader.
 */
int de_thread(struct task_struct *tsk)
{
	struct signal_struct *sig = tsk->signal;
	int err = 0;

	if (!thread_group_empty(tsk)) {
		err = end_other_threads(tsk);
		if (!err && !thread_group_leader(tsk))
			err = replace_leader(tsk);
		if (err)
			return err;
		sig->group_exec_task = NULL;
		sig->notify_count = 0;
	}
	tsk->exit_signal = SIGCHLD;
	return 0;
}
