/* SPDX-License-Identifier: GPL-2.0-only */
/* What the threads of a process share: signals, handlers, limits. */
#ifndef _LINUX_SCHED_SIGNAL_H
#define _LINUX_SCHED_SIGNAL_H

#include <linux/hrtimer.h>
#include <linux/pid.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/wait.h>

struct tty_struct;

struct sighand_struct {
	spinlock_t siglock;		/* also signal_struct's and pending */
	refcount_t count;
	struct k_sigaction action[_NSIG];
};

/* By how much time a process has used: in ns, 0: it is not set. */
struct cpu_itimer {
	u64 expires;
	u64 incr;
};

struct signal_struct {
	refcount_t sigcnt;
	atomic_t live;			/* threads that are not exiting */
	int nr_threads;
	struct list_head thread_head;
	wait_queue_head_t wait_chldexit;
	struct task_struct *curr_target; /* looked at first for a signal */
	struct sigpending shared_pending;

	unsigned int flags;		/* SIGNAL_* */
	int group_exit_code;
	int notify_count;		/* threads that group_exec_task awaits */
	struct task_struct *group_exec_task;
	int group_stop_count;		/* threads that are still to stop */

	struct pid *pids[PIDTYPE_MAX];	/* from PIDTYPE_TGID on */
	bool leader;			/* of its session */
	struct tty_struct *tty;		/* NULL: no controlling terminal */
	struct pid *tty_old_pgrp;
	bool is_child_subreaper;
	bool has_child_subreaper;

	struct hrtimer real_timer;	/* ITIMER_REAL */
	ktime_t it_real_incr;		/* 0: it comes once */
	struct task_struct *real_timer_task;

	struct list_head posix_timers;
	unsigned int nr_posix_timers;
	unsigned int posix_timer_id;	/* of the next */
	struct cpu_itimer it[2];	/* ITIMER_PROF, ITIMER_VIRTUAL */

	struct task_usage usage;	/* of threads that have ended */
	struct task_usage cusage;	/* of children waited for */
	short oom_score_adj;		/* -1000: never killed for memory */
	bool oom_victim;		/* has been; its memory is coming */
	struct rlimit rlim[RLIM_NLIMITS];
};

#define SIGNAL_STOP_STOPPED	0x00000001
#define SIGNAL_STOP_CONTINUED	0x00000002
#define SIGNAL_GROUP_EXIT	0x00000004
#define SIGNAL_CLD_STOPPED	0x00000010
#define SIGNAL_CLD_CONTINUED	0x00000020
#define SIGNAL_CLD_MASK		(SIGNAL_CLD_STOPPED | SIGNAL_CLD_CONTINUED)
#define SIGNAL_UNKILLABLE	0x00000040
#define SIGNAL_STOP_MASK	(SIGNAL_CLD_MASK | SIGNAL_STOP_STOPPED | \
				 SIGNAL_STOP_CONTINUED)

/* task_struct.jobctl; the low bits are the signal that stops it. */
#define JOBCTL_STOP_SIGMASK	0xffff
#define JOBCTL_STOP_DEQUEUED	(1UL << 16)
#define JOBCTL_STOP_PENDING	(1UL << 17)
#define JOBCTL_STOP_CONSUME	(1UL << 18)
#define JOBCTL_STOPPED		(1UL << 26)
#define JOBCTL_PENDING_MASK	JOBCTL_STOP_PENDING

extern struct signal_struct init_signals;
extern struct sighand_struct init_sighand;

#define for_each_thread(p, t) \
	list_for_each_entry(t, &(p)->signal->thread_head, thread_node)

static inline bool thread_group_leader(const struct task_struct *p)
{
	return p->exit_signal >= 0;
}

static inline bool thread_group_empty(const struct task_struct *p)
{
	return p->signal->thread_head.next->next == &p->signal->thread_head;
}

static inline bool same_thread_group(const struct task_struct *a,
				     const struct task_struct *b)
{
	return a->signal == b->signal;
}

static inline bool delay_group_leader(const struct task_struct *p)
{
	return thread_group_leader(p) && !thread_group_empty(p);
}

static inline struct pid *task_pid(const struct task_struct *p)
{
	return p->thread_pid;
}

static inline struct pid *task_pgrp(const struct task_struct *p)
{
	return p->signal->pids[PIDTYPE_PGID];
}

static inline struct pid *task_session(const struct task_struct *p)
{
	return p->signal->pids[PIDTYPE_SID];
}

#define task_pgrp_nr(p)		pid_nr(task_pgrp(p))
#define task_session_nr(p)	pid_nr(task_session(p))
#define task_is_stopped(p)	((p)->jobctl & JOBCTL_STOPPED)
#define is_global_init(p)	((p)->tgid == 1)

static inline unsigned long rlimit(unsigned int limit)
{
	return READ_ONCE(current->signal->rlim[limit].rlim_cur);
}

/* NULL if the task has been released; else its siglock is held. */
struct sighand_struct *lock_task_sighand(struct task_struct *p,
					 unsigned long *flags);
#define unlock_task_sighand(p, flags) \
	spin_unlock_irqrestore(&(p)->sighand->siglock, *(flags))

void __cleanup_sighand(struct sighand_struct *sighand);
void put_signal_struct(struct signal_struct *sig);
void signals_init(void);

enum hrtimer_restart it_real_fn(struct hrtimer *timer);

/* siglock is held. */
void itimer_rearm(struct signal_struct *sig);
void recalc_sigpending_and_wake(struct task_struct *t);
void signal_wake_up(struct task_struct *t, int fatal);
int next_signal(struct sigpending *pending, sigset_t mask);
void flush_sigqueue(struct sigpending *queue);
void flush_sigqueue_mask(sigset_t mask, struct sigpending *s);
int dequeue_signal(struct task_struct *tsk, const sigset_t *mask,
		   kernel_siginfo_t *info, enum pid_type *type);
int dequeue_synchronous_signal(kernel_siginfo_t *info);
/* A timer's own: its one signal, at most once in a queue. */
struct sigqueue *sigqueue_alloc(struct k_itimer *timer);
void sigqueue_free(struct sigqueue *q);
/* With siglock held. Nonzero: it is ignored. */
int send_sigqueue(struct sigqueue *q, struct task_struct *t,
		  enum pid_type type);

int send_signal_locked(int sig, struct kernel_siginfo *info,
		       struct task_struct *t, enum pid_type type);
int __send_signal_locked(int sig, struct kernel_siginfo *info,
			 struct task_struct *t, enum pid_type type, bool force);
int zap_other_threads(struct task_struct *p);
bool task_set_jobctl_pending(struct task_struct *task, unsigned long mask);
void task_clear_jobctl_pending(struct task_struct *task, unsigned long mask);

int do_send_sig_info(int sig, struct kernel_siginfo *info,
		     struct task_struct *p, enum pid_type type);
bool sig_fatal(struct task_struct *p, int sig);
bool unhandled_signal(struct task_struct *tsk, int sig);
int do_sigaction(int sig, struct k_sigaction *act, struct k_sigaction *oact);
void kernel_sigaction(int sig, unsigned long handler);
void flush_signal_handlers(struct task_struct *t, int force_default);
void ignore_signals(struct task_struct *t);
void exit_signals(struct task_struct *tsk);

/* With tasklist_lock held. */
bool do_notify_parent(struct task_struct *tsk, int sig);
void do_notify_parent_cldstop(struct task_struct *tsk, int why);
void __wake_up_parent(struct task_struct *p, struct task_struct *parent);
bool is_current_pgrp_orphaned(void);

static inline void set_restore_sigmask(void)
{
	current->restore_sigmask = true;
}

static inline void restore_saved_sigmask(void)
{
	if (current->restore_sigmask) {
		current->restore_sigmask = false;
		set_current_blocked(&current->saved_sigmask);
	}
}

static inline sigset_t *sigmask_to_save(void)
{
	return current->restore_sigmask ? &current->saved_sigmask :
					  &current->blocked;
}

/* The alternate stack. */
static inline int __on_sig_stack(unsigned long sp)
{
	return sp > current->sas_ss_sp &&
	       sp - current->sas_ss_sp <= current->sas_ss_size;
}

static inline int on_sig_stack(unsigned long sp)
{
	return !(current->sas_ss_flags & SS_AUTODISARM) && __on_sig_stack(sp);
}

static inline int sas_ss_flags(unsigned long sp)
{
	if (!current->sas_ss_size)
		return SS_DISABLE;
	return on_sig_stack(sp) ? SS_ONSTACK : 0;
}

static inline void sas_ss_reset(struct task_struct *p)
{
	p->sas_ss_sp = 0;
	p->sas_ss_size = 0;
	p->sas_ss_flags = SS_DISABLE;
}

/* The stack that a handler is to start on; @sp: where the program's is. */
static inline unsigned long sigsp(unsigned long sp, struct ksignal *ksig)
{
	if (ksig->ka.sa.sa_flags & SA_ONSTACK && !sas_ss_flags(sp))
		return current->sas_ss_sp + current->sas_ss_size;
	return sp;
}

int restore_altstack(const stack_t __user *uss);
int __save_altstack(stack_t __user *uss, unsigned long sp);

#endif
