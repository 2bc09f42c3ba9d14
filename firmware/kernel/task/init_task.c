/* SPDX-License-Identifier: GPL-2.0-only */
/* The task that the image starts as: CPU 0's idle task. */
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/init_task.h>
#include <linux/sched.h>
#include <asm/page.h>

/*
 * The list of all tasks is used by this symbol only. Everything else about
 * the task goes through `current`, its address in the direct map.
 */
struct task_struct init_task __aligned(64) = {
	.__state = TASK_RUNNING,
	.flags = PF_KTHREAD,
	.usage = REFCOUNT_INIT(2),
	.rcu_users = REFCOUNT_INIT(1),
	.static_prio = 120,
	.tasks = LIST_HEAD_INIT(init_task.tasks),
	.comm = "swapper",
	.fs = &init_fs,
	.files = &init_files,
	.curr_ret_stack = -1,
};

/* The parts that point to themselves or to the stack. */
void init_task_early(void)
{
	struct task_struct *p = current;

	p->stack = __va(__pa(init_stack));
	p->real_parent = p;
	INIT_LIST_HEAD(&p->children);
	INIT_LIST_HEAD(&p->sibling);
}
