/* SPDX-License-Identifier: GPL-2.0-only */
/* The task that the image starts as: CPU 0's idle task. */
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/init_task.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <asm/page.h>

struct sighand_struct init_sighand = {
	.siglock = __SPIN_LOCK_UNLOCKED,
	.count = REFCOUNT_INIT(1),
};

struct signal_struct init_signals = {
	.sigcnt = REFCOUNT_INIT(1),
	.live = ATOMIC_INIT(1),
	.nr_threads = 1,
	.wait_chldexit = __WAIT_QUEUE_HEAD_INITIALIZER(
					init_signals.wait_chldexit),
	.shared_pending = {
		.list = LIST_HEAD_INIT(init_signals.shared_pending.list),
	},
	.pids = {
		[PIDTYPE_TGID] = &init_struct_pid,
		[PIDTYPE_PGID] = &init_struct_pid,
		[PIDTYPE_SID] = &init_struct_pid,
	},
	.rlim = {
		[0 ... RLIM_NLIMITS - 1] = { RLIM_INFINITY, RLIM_INFINITY },
	},
};

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
	.signal = &init_signals,
	.sighand = &init_sighand,
	.thread_pid = &init_struct_pid,
	.restart_block = { .fn = do_no_restart_syscall },
	.curr_ret_stack = -1,
};

/* The parts that point to themselves or to the stack. */
void init_task_early(void)
{
	struct task_struct *p = current;

	p->stack = __va(__pa(init_stack));
	p->real_parent = p;
	p->group_leader = p;
	INIT_LIST_HEAD(&init_signals.thread_head);
	list_add(&p->thread_node, &init_signals.thread_head);
	init_signals.curr_target = p;
	init_signals.rlim[RLIMIT_STACK].rlim_cur = 8 << 20;
	init_signals.rlim[RLIMIT_CORE].rlim_cur = 0;
	init_signals.rlim[RLIMIT_NOFILE] =
		(struct rlimit){ NR_OPEN_MAX, NR_OPEN_MAX };
	init_sigpending(&p->pending);
	for (int type = 0; type < PIDTYPE_MAX; type++)
		INIT_LIST_HEAD(&p->pid_links[type]);
	INIT_LIST_HEAD(&p->children);
	INIT_LIST_HEAD(&p->sibling);
}
