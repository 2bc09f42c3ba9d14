/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks and what the scheduler offers to the rest of the kernel. */
#ifndef _LINUX_SCHED_H
#define _LINUX_SCHED_H

#include <linux/types.h>
#include <uapi/linux/sched.h>
#include <linux/ftrace.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/ktime.h>
#include <linux/hrtimer.h>
#include <linux/rbtree.h>
#include <linux/restart_block.h>
#include <linux/signal.h>
#include <asm/current.h>
#include <asm/processor.h>
#include <asm/thread_info.h>

struct mm_struct;
struct files_struct;
struct fs_struct;
struct nameidata;
struct completion;
struct sched_class;
struct pt_regs;
struct signal_struct;
struct sighand_struct;
struct robust_list_head;
struct uprobe_task;

/* task_struct.__state. print fmt shows these as they are spelled here. */
#define TASK_RUNNING		0x00000000
#define TASK_INTERRUPTIBLE	0x00000001
#define TASK_UNINTERRUPTIBLE	0x00000002
#define __TASK_STOPPED		0x00000004
#define __TASK_TRACED		0x00000008
/* task_struct.exit_state */
#define EXIT_DEAD		0x00000010
#define EXIT_ZOMBIE		0x00000020
/* task_struct.__state again */
#define TASK_PARKED		0x00000040
#define TASK_DEAD		0x00000080
#define TASK_WAKEKILL		0x00000100
#define TASK_WAKING		0x00000200
#define TASK_NOLOAD		0x00000400
#define TASK_NEW		0x00000800
#define TASK_STOPPED		(TASK_WAKEKILL | __TASK_STOPPED)
#define TASK_KILLABLE		(TASK_WAKEKILL | TASK_UNINTERRUPTIBLE)
#define TASK_NORMAL		(TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)
#define TASK_IDLE		(TASK_UNINTERRUPTIBLE | TASK_NOLOAD)

/* What people are told of both: one bit, or two more that stand for others. */
#define TASK_REPORT		(TASK_RUNNING | TASK_INTERRUPTIBLE | \
				 TASK_UNINTERRUPTIBLE | __TASK_STOPPED | \
				 __TASK_TRACED | EXIT_DEAD | EXIT_ZOMBIE | \
				 TASK_PARKED)
#define TASK_REPORT_IDLE	(TASK_REPORT + 1)
#define TASK_REPORT_MAX		(TASK_REPORT_IDLE << 1)

/* task_struct.flags */
#define PF_IDLE			0x00000002
#define PF_EXITING		0x00000004
#define PF_WQ_WORKER		0x00000020
#define PF_FORKNOEXEC		0x00000040
#define PF_SIGNALED		0x00000400
#define PF_MEMALLOC		0x00000800	/* it frees memory: it gets some */
#define PF_KSWAPD		0x00020000
#define PF_KTHREAD		0x00200000
#define PF_NO_SETAFFINITY	0x04000000	/* bound by the kernel */

#define TASK_COMM_LEN		16

struct sched_entity {
	struct rb_node run_node;	/* in order of vruntime */
	u64 vruntime;
	u64 exec_start;
	u64 sum_exec_runtime;
	u64 prev_sum_exec_runtime;	/* when it was last picked */
	unsigned long weight;
	u64 nr_migrations;
	bool on_rq;
};

/* Since when a task waits or sleeps; kept while the events of it are on. */
struct sched_statistics {
	u64 wait_start;
	u64 sleep_start;
	u64 block_start;
	u64 ran;		/* sum_exec_runtime then */
};

struct sched_rt_entity {
	struct list_head run_list;	/* with those of the same priority */
	struct list_head pushable;	/* by priority; empty: not pushable */
	unsigned int time_slice;	/* in ticks */
	bool on_rq;
};

struct sched_dl_entity {
	struct rb_node rb_node;		/* in order of deadline */
	struct rb_node pushable;

	/* What was asked for, in nanoseconds. */
	u64 dl_runtime;
	u64 dl_deadline;		/* relative to the period's start */
	u64 dl_period;
	u64 dl_bw;			/* runtime / period, in 2^-20 */
	u64 dl_density;			/* runtime / deadline */
	unsigned int flags;

	/* What is left of it. */
	s64 runtime;
	u64 deadline;			/* on the run queue's clock */
	bool on_rq;
	bool is_pushable;
	bool dl_throttled;		/* until the next period */
	bool dl_yielded;
	struct hrtimer dl_timer;	/* replenishes */
};

/* In wake_q.h; next is NULL while the task is in no queue. */
struct wake_q_node {
	struct wake_q_node *next;
};

struct task_struct {
	unsigned long thread_info_flags;
	unsigned int __state;
	unsigned int flags;
	void *stack;			/* NULL once it has run its last */
	refcount_t usage;
	refcount_t rcu_users;		/* until its last switch and its release */
	void *worker_private;		/* kernel threads: struct kthread */

	bool sched_contributes_to_load;	/* waits uninterruptibly */
	bool in_iowait;
	int on_cpu;			/* until its registers are saved */
	struct lock_release off_cpu;	/* when that was */
	int on_rq;
	int cpu;
	int prio;			/* -1: deadline; 0 to 99: rt; to 139: fair */
	int static_prio;		/* 100 + 20 + nice */
	int normal_prio;
	unsigned int rt_priority;	/* 1 to 99, 99 first */
	unsigned int policy;
	bool sched_reset_on_fork;
	struct cpumask cpus_mask;	/* where it may run */
	int nr_cpus_allowed;
	const struct sched_class *sched_class;
	struct sched_entity se;
	struct sched_rt_entity rt;
	struct sched_dl_entity dl;
	struct sched_statistics stats;
	unsigned long nvcsw;		/* switches: it slept */
	unsigned long nivcsw;		/* it was preempted */
	unsigned long min_flt;		/* page faults without I/O, ... */
	unsigned long maj_flt;		/* ... and with */
	u64 start_time;			/* ns since boot */
	u64 utime;			/* in ticks */
	u64 stime;
	raw_spinlock_t pi_lock;		/* serialises wake-ups */

	int rcu_read_lock_nesting;
	unsigned int rcu_read_unlock_special;
	struct list_head rcu_node_entry;	/* of preempted readers */
	bool rcu_tasks_holdout;			/* until it sleeps or leaves */
	struct list_head rcu_tasks_holdout_list;
	struct list_head rcu_tasks_exit;	/* of tasks that end */
	struct rcu_head rcu;			/* for its end */

	struct list_head tasks;
	struct mm_struct *mm;		/* NULL: kernel thread */
	struct mm_struct *active_mm;
	unsigned int pagefault_disabled;	/* nested: user copies end there */

	int exit_state;
	int exit_code;
	int exit_signal;		/* -1: a thread that is no leader */
	int pdeath_signal;		/* sent when its parent ends */
	bool no_new_privs;		/* it said so; there are none to get */
	pid_t pid;
	pid_t tgid;
	struct pid *thread_pid;
	struct list_head pid_links[PIDTYPE_MAX];
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct list_head thread_node;	/* in signal->thread_head */
	struct list_head children;
	struct list_head sibling;
	struct completion *vfork_done;	/* under alloc_lock */
	spinlock_t alloc_lock;
	int __user *set_child_tid;
	int __user *clear_child_tid;

	char comm[TASK_COMM_LEN];
	struct fs_struct *fs;
	struct files_struct *files;
	struct nameidata *nameidata;	/* the path walk that is going on */

	struct signal_struct *signal;
	struct sighand_struct *sighand;	/* NULL once it is released */
	sigset_t blocked;
	sigset_t real_blocked;		/* in sigtimedwait */
	sigset_t saved_sigmask;
	bool restore_sigmask;
	struct sigpending pending;
	unsigned long jobctl;
	unsigned long sas_ss_sp;
	size_t sas_ss_size;
	unsigned int sas_ss_flags;
	struct restart_block restart_block;
	struct robust_list_head __user *robust_list;

	int curr_ret_stack;		/* index of the last entry; -1: empty */
	int trace_overrun;
	u64 ftrace_timestamp;		/* when it was last switched out */
	struct ftrace_ret_stack ret_stack[FTRACE_RETFUNC_DEPTH];
	u64 rethooks;			/* the latest of its calls in rethook.h */
	struct kretprobe_instance *kretprobe_instances;	/* the same */

	struct wake_q_node wake_q;
	struct blk_plug *plug;		/* requests held back, to be merged */
	struct uprobe_task *utask;	/* probed calls that have not returned */

	struct thread_struct thread;
};

extern struct task_struct init_task;
extern struct task_struct *idle_tasks[];
extern spinlock_t tasklist_lock;

/* Of processes and their threads, with tasklist_lock held. */
#define for_each_task(p)						\
	for (p = list_entry(init_task.tasks.next, struct task_struct, tasks); \
	     &p->tasks != &init_task.tasks;				\
	     p = list_entry(p->tasks.next, struct task_struct, tasks))

/* Of processes: each one's leader. */
#define for_each_process(p)						\
	for_each_task(p)						\
		if ((p)->group_leader != (p)) ; else

#define task_pid_nr(p)		((p)->pid)
#define task_tgid_nr(p)		((p)->tgid)
#define task_cpu(p)		READ_ONCE((p)->cpu)
#define is_idle_task(p)		((p)->flags & PF_IDLE)

#define __set_current_state(s)	WRITE_ONCE(current->__state, (s))
#define set_current_state(s)	xchg(&current->__state, (s))

static inline bool need_resched(void)
{
	return test_bit(TIF_NEED_RESCHED, &current->thread_info_flags);
}

static inline bool signal_pending(struct task_struct *p)
{
	return test_bit(TIF_SIGPENDING, &p->thread_info_flags);
}

static inline bool __fatal_signal_pending(struct task_struct *p)
{
	return p->pending.signal & sigmask(SIGKILL);
}

static inline bool fatal_signal_pending(struct task_struct *p)
{
	return signal_pending(p) && __fatal_signal_pending(p);
}

/* Does a signal keep a task that goes to sleep in @state awake? */
static inline bool signal_pending_state(unsigned int state,
					struct task_struct *p)
{
	if (!(state & (TASK_INTERRUPTIBLE | TASK_WAKEKILL)) ||
	    !signal_pending(p))
		return false;
	return state & TASK_INTERRUPTIBLE || __fatal_signal_pending(p);
}

static inline struct task_struct *get_task_struct(struct task_struct *p)
{
	refcount_inc(&p->usage);
	return p;
}

void __put_task_struct(struct task_struct *p);

static inline void put_task_struct(struct task_struct *p)
{
	if (refcount_dec_and_test(&p->usage))
		__put_task_struct(p);
}

/* The last of two is dropped after a grace period: readers may still look. */
void put_task_struct_rcu_user(struct task_struct *p);

void schedule(void);
int __cond_resched(void);
#define cond_resched()		__cond_resched()
void preempt_schedule_irq(void);
void schedule_tail(struct task_struct *prev);
void schedule_idle(void);
void schedule_preempt_disabled(void);
long schedule_timeout(long timeout);
long schedule_timeout_interruptible(long timeout);
long schedule_timeout_uninterruptible(long timeout);
int wake_up_process(struct task_struct *p);
int wake_up_state(struct task_struct *p, unsigned int state);
void kick_process(struct task_struct *p);
void wait_task_inactive(struct task_struct *p);
int try_to_wake_up(struct task_struct *p, unsigned int state, int wake_flags);
void wake_up_new_task(struct task_struct *p);
/* Fails if the child could not have its parent's class. */
int sched_fork(unsigned long clone_flags, struct task_struct *p);
void sched_exec(void);
void set_user_nice(struct task_struct *p, long nice);
int task_nice(const struct task_struct *p);
int task_prio(const struct task_struct *p);
struct sched_attr;
struct sched_param;
int sched_setscheduler_nocheck(struct task_struct *p, int policy,
			       const struct sched_param *param);
int sched_setattr_nocheck(struct task_struct *p,
			  const struct sched_attr *attr);
void sched_set_fifo(struct task_struct *p);
void sched_set_fifo_low(struct task_struct *p);
void sched_set_stop_task(int cpu, struct task_struct *stop);

/* Where @p may run. */
void do_set_cpus_allowed(struct task_struct *p, const struct cpumask *mask);
long sched_setaffinity(pid_t pid, const struct cpumask *mask);
long sched_getaffinity(pid_t pid, struct cpumask *mask);
void scheduler_tick(void);
void scheduler_ipi(void);
void account_process_tick(struct task_struct *p, int user_tick);
void account_system_time(struct task_struct *p, int hardirq_offset);
u64 task_sched_runtime(struct task_struct *p);
void init_idle(struct task_struct *idle, int cpu);
void set_task_stack_end_magic(struct task_struct *p);
void cpu_startup_entry(void) __noreturn;
int idle_cpu(int cpu);

/* The first with tasklist_lock held, the second returns a reference. */
struct task_struct *find_task_by_vpid(pid_t pid);
struct task_struct *find_get_task_by_vpid(pid_t pid);
void set_task_comm(struct task_struct *p, const char *name);

void do_task_dead(void) __noreturn;
#define task_lock(p)		spin_lock(&(p)->alloc_lock)
#define task_unlock(p)		spin_unlock(&(p)->alloc_lock)

void do_exit(long code) __noreturn;
void do_group_exit(int code) __noreturn;

#define MAX_SCHEDULE_TIMEOUT	LONG_MAX

#endif
