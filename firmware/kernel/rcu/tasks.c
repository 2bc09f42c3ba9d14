/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Grace periods of tasks: when one is over, no task stands any more where it
 * may have stood before, for each has slept, has been in user mode, or has
 * ended. What nobody can come to any more can then be overwritten.
 */
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>

/* Tasks that are off the list of tasks, perhaps, but still run. */
static LIST_HEAD(rcu_tasks_exiting);
static spinlock_t rcu_tasks_exiting_lock = __SPIN_LOCK_UNLOCKED;

/* Called before the task can leave the list of tasks. */
void exit_tasks_rcu_start(void)
{
	spin_lock(&rcu_tasks_exiting_lock);
	list_add(&current->rcu_tasks_exit, &rcu_tasks_exiting);
	spin_unlock(&rcu_tasks_exiting_lock);
}

/* With preemption off, until the last switch. */
void exit_tasks_rcu_finish(void)
{
	spin_lock(&rcu_tasks_exiting_lock);
	list_del_init(&current->rcu_tasks_exit);
	spin_unlock(&rcu_tasks_exiting_lock);
}

/* A task that sleeps stands nowhere but in what let it sleep. */
static void rcu_tasks_pertask(struct task_struct *t, struct list_head *holdouts)
{
	if (t == current || !READ_ONCE(t->on_rq) || t->rcu_tasks_holdout)
		return;
	get_task_struct(t);
	WRITE_ONCE(t->rcu_tasks_holdout, true);
	list_add_tail(&t->rcu_tasks_holdout_list, holdouts);
}

static void check_all_holdout_tasks(struct list_head *holdouts)
{
	struct task_struct *t, *next;

	list_for_each_entry_safe(t, next, holdouts, rcu_tasks_holdout_list) {
		if (READ_ONCE(t->rcu_tasks_holdout) && READ_ONCE(t->on_rq))
			continue;
		WRITE_ONCE(t->rcu_tasks_holdout, false);
		list_del(&t->rcu_tasks_holdout_list);
		put_task_struct(t);
	}
}

/*
 * Idle tasks never sleep: to run on each CPU makes each switch. Who has gone
 * idle since stands in the idle loop.
 */
static void rcu_tasks_rude_wait(void)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct cpumask one = {};

		cpumask_set_cpu(cpu, &one);
		sched_setaffinity(0, &one);
	}
	cpus_read_unlock();
	sched_setaffinity(0, cpu_online_mask);
}

/*
 * Waits for such a grace period. One caller at a time, a kernel thread that may
 * run on any CPU.
 */
void synchronize_rcu_tasks(void)
{
	struct task_struct *t;
	LIST_HEAD(holdouts);

	spin_lock(&tasklist_lock);
	for_each_task(t)
		rcu_tasks_pertask(t, &holdouts);
	/* Who leaves the one list is on the other by then. */
	spin_lock(&rcu_tasks_exiting_lock);
	list_for_each_entry(t, &rcu_tasks_exiting, rcu_tasks_exit)
		rcu_tasks_pertask(t, &holdouts);
	spin_unlock(&rcu_tasks_exiting_lock);
	spin_unlock(&tasklist_lock);

	while (!list_empty(&holdouts)) {
		schedule_timeout_uninterruptible(1);
		check_all_holdout_tasks(&holdouts);
	}
	rcu_tasks_rude_wait();
	/* Whoever has just ended does its last steps with preemption off. */
	synchronize_rcu();
}
