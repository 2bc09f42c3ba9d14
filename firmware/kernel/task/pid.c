/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of tasks, groups and sessions, and who is known by each. */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/threads.h>

#define PIDHASH_SIZE	1024

static DECLARE_BITMAP(pid_map, PID_MAX) = { 1 };
static struct list_head pid_hash[PIDHASH_SIZE];
static DEFINE_SPINLOCK(pidmap_lock);
static unsigned int last_nr;
static int pid_max = PID_MAX;	/* below it are new numbers */
static struct kmem_cache *pid_cachep;

/* What tasks outside any process have: the idle ones, and their children. */
struct pid init_struct_pid = {
	.count = REFCOUNT_INIT(1),
	.pid_chain = LIST_HEAD_INIT(init_struct_pid.pid_chain),
	.tasks = {
		LIST_HEAD_INIT(init_struct_pid.tasks[PIDTYPE_PID]),
		LIST_HEAD_INIT(init_struct_pid.tasks[PIDTYPE_TGID]),
		LIST_HEAD_INIT(init_struct_pid.tasks[PIDTYPE_PGID]),
		LIST_HEAD_INIT(init_struct_pid.tasks[PIDTYPE_SID]),
	},
};

void __init pid_init(void)
{
	for (int i = 0; i < PIDHASH_SIZE; i++)
		INIT_LIST_HEAD(&pid_hash[i]);
	pid_cachep = KMEM_CACHE(pid, SLAB_PANIC);
}

static struct list_head *pid_bucket(pid_t nr)
{
	return &pid_hash[nr % PIDHASH_SIZE];
}

pid_t last_pid(void)
{
	return READ_ONCE(last_nr);
}

/* The next free number after the last one given. */
struct pid *alloc_pid(void)
{
	struct pid *pid = kmem_cache_alloc(pid_cachep, GFP_KERNEL);
	unsigned int nr;

	if (!pid)
		return ERR_PTR(-ENOMEM);
	refcount_set(&pid->count, 1);
	pid->nr = 0;
	for (int type = 0; type < PIDTYPE_MAX; type++)
		INIT_LIST_HEAD(&pid->tasks[type]);

	spin_lock_irq(&pidmap_lock);
	nr = find_next_zero_bit(pid_map, pid_max, last_nr + 1);
	if (nr >= pid_max)
		nr = find_next_zero_bit(pid_map, pid_max, 1);
	if (nr < pid_max) {
		__set_bit(nr, pid_map);
		last_nr = nr;
		pid->nr = nr;
		list_add(&pid->pid_chain, pid_bucket(nr));
	}
	spin_unlock_irq(&pidmap_lock);
	if (pid->nr)
		return pid;
	kmem_cache_free(pid_cachep, pid);
	return ERR_PTR(-EAGAIN);
}

void put_pid(struct pid *pid)
{
	if (pid && refcount_dec_and_test(&pid->count))
		kmem_cache_free(pid_cachep, pid);
}

/* From now on the number may be another's. */
void free_pid(struct pid *pid)
{
	unsigned long flags;

	spin_lock_irqsave(&pidmap_lock, flags);
	__clear_bit(pid->nr, pid_map);
	list_del_init(&pid->pid_chain);
	spin_unlock_irqrestore(&pidmap_lock, flags);
	put_pid(pid);
}

static struct pid *find_pid(pid_t nr)
{
	struct pid *pid;

	list_for_each_entry(pid, pid_bucket(nr), pid_chain)
		if (pid->nr == nr)
			return pid;
	return NULL;
}

struct pid *find_vpid(pid_t nr)
{
	struct pid *pid = NULL;
	unsigned long flags;

	if (nr > 0 && nr < PID_MAX) {
		spin_lock_irqsave(&pidmap_lock, flags);
		pid = find_pid(nr);
		spin_unlock_irqrestore(&pidmap_lock, flags);
	}
	return pid;
}

struct pid *find_get_pid(pid_t nr)
{
	struct pid *pid = NULL;
	unsigned long flags;

	if (nr > 0 && nr < PID_MAX) {
		spin_lock_irqsave(&pidmap_lock, flags);
		pid = get_pid(find_pid(nr));
		spin_unlock_irqrestore(&pidmap_lock, flags);
	}
	return pid;
}

struct task_struct *pid_task(struct pid *pid, enum pid_type type)
{
	if (!pid || list_empty(&pid->tasks[type]))
		return NULL;
	return list_first_entry(&pid->tasks[type], struct task_struct,
				pid_links[type]);
}

static inline struct pid **task_pid_ptr(struct task_struct *task,
					enum pid_type type)
{
	return type == PIDTYPE_PID ? &task->thread_pid :
				     &task->signal->pids[type];
}

void attach_pid(struct task_struct *task, enum pid_type type)
{
	list_add_tail(&task->pid_links[type],
		      &(*task_pid_ptr(task, type))->tasks[type]);
}

static void __change_pid(struct task_struct *task, enum pid_type type,
			 struct pid *new)
{
	struct pid **ptr = task_pid_ptr(task, type), *pid = *ptr;

	list_del_init(&task->pid_links[type]);
	*ptr = new;
	for (int i = 0; i < PIDTYPE_MAX; i++)
		if (!list_empty(&pid->tasks[i]))
			return;
	if (pid != &init_struct_pid)
		free_pid(pid);
}

void detach_pid(struct task_struct *task, enum pid_type type)
{
	__change_pid(task, type, NULL);
}

void change_pid(struct task_struct *task, enum pid_type type, struct pid *pid)
{
	__change_pid(task, type, pid);
	attach_pid(task, type);
}

/* A thread that calls execve becomes the leader, by the leader's number. */
void exchange_tids(struct task_struct *left, struct task_struct *right)
{
	struct pid *pid = left->thread_pid;
	pid_t nr = left->pid;

	list_del(&left->pid_links[PIDTYPE_PID]);
	list_del(&right->pid_links[PIDTYPE_PID]);
	left->thread_pid = right->thread_pid;
	right->thread_pid = pid;
	left->pid = right->pid;
	right->pid = nr;
	attach_pid(left, PIDTYPE_PID);
	attach_pid(right, PIDTYPE_PID);
}

/* What both are known by is known by @new alone. */
void transfer_pid(struct task_struct *old, struct task_struct *new,
		  enum pid_type type)
{
	list_add(&new->pid_links[type], &old->pid_links[type]);
	list_del_init(&old->pid_links[type]);
}

struct task_struct *find_task_by_vpid(pid_t nr)
{
	return pid_task(find_vpid(nr), PIDTYPE_PID);
}

struct task_struct *find_get_task_by_vpid(pid_t nr)
{
	struct task_struct *p;

	spin_lock_irq(&tasklist_lock);
	p = find_task_by_vpid(nr);
	if (p)
		get_task_struct(p);
	spin_unlock_irq(&tasklist_lock);
	return p;
}

static int pid_max_min = 301, pid_max_max = PID_MAX;

static struct ctl_table pid_sysctls[] = {
	{
		.procname	= "pid_max",
		.data		= &pid_max,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= &pid_max_min,
		.extra2		= &pid_max_max,
	},
	{ }
};

static int __init pid_sysctl_init(void)
{
	register_sysctl_init("kernel", pid_sysctls);
	return 0;
}
device_initcall(pid_sysctl_init);
