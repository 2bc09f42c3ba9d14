/* SPDX-License-Identifier: GPL-2.0-only */
/* Sending signals: whether one counts, who acts on it, to whom it goes. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <asm/processor.h>

#include "signal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/signal.h>

static unsigned long sig_handler(struct task_struct *t, int sig)
{
	return t->sighand->action[sig - 1].sa.sa_handler;
}

/* Whether a fault with that signal ends the program. */
bool unhandled_signal(struct task_struct *tsk, int sig)
{
	unsigned long handler = sig_handler(tsk, sig);

	return handler == SIG_IGN || handler == SIG_DFL;
}

static bool sig_handler_ignored(unsigned long handler, int sig)
{
	return handler == SIG_IGN ||
	       (handler == SIG_DFL && sig_kernel_ignore(sig));
}

/* Init gets what it has asked for; kernel threads get nothing by accident. */
static bool sig_task_ignored(struct task_struct *t, int sig, bool force)
{
	unsigned long handler = sig_handler(t, sig);

	if (unlikely(is_global_init(t) && sig_kernel_only(sig)))
		return true;
	if (unlikely(t->signal->flags & SIGNAL_UNKILLABLE) &&
	    handler == SIG_DFL && !(force && sig_kernel_only(sig)))
		return true;
	if (unlikely(t->flags & PF_KTHREAD && !force))
		return true;
	return sig_handler_ignored(handler, sig);
}

/* What is blocked waits: its handler may change. */
static bool sig_ignored(struct task_struct *t, int sig, bool force)
{
	if ((t->blocked | t->real_blocked) & sigmask(sig))
		return false;
	return sig_task_ignored(t, sig, force);
}

static void flush_everywhere(struct task_struct *p, sigset_t mask)
{
	struct task_struct *t;

	flush_sigqueue_mask(mask, &p->signal->shared_pending);
	for_each_thread(p, t)
		flush_sigqueue_mask(mask, &t->pending);
}

/* SIGCONT acts when it is sent, whatever is done about it later. */
static void continue_group(struct task_struct *p)
{
	struct signal_struct *signal = p->signal;
	struct task_struct *t;
	unsigned int why = 0;

	flush_everywhere(p, SIG_KERNEL_STOP_MASK);
	for_each_thread(p, t) {
		task_clear_jobctl_pending(t, JOBCTL_STOP_PENDING);
		t->jobctl &= ~JOBCTL_STOPPED;
		wake_up_state(t, __TASK_STOPPED);
	}
	if (signal->flags & SIGNAL_STOP_STOPPED)
		why = SIGNAL_CLD_CONTINUED;
	else if (signal->group_stop_count)
		why = SIGNAL_CLD_STOPPED;
	if (why) {
		signal->flags = (signal->flags & ~SIGNAL_STOP_MASK) | why |
				SIGNAL_STOP_CONTINUED;
		signal->group_stop_count = 0;
		signal->group_exit_code = 0;
	}
}

/*
 * Stops and continuations cancel each other. Is the signal to be queued? With
 * siglock held.
 */
static bool prepare_signal(int sig, struct task_struct *p, bool force)
{
	if (p->signal->flags & SIGNAL_GROUP_EXIT)
		return sig == SIGKILL;
	if (sig_kernel_stop(sig))
		flush_everywhere(p, sigmask(SIGCONT));
	else if (sig == SIGCONT)
		continue_group(p);
	return !sig_ignored(p, sig, force);
}

static bool wants_signal(int sig, struct task_struct *p)
{
	if (p->blocked & sigmask(sig) || p->flags & PF_EXITING)
		return false;
	if (sig == SIGKILL)
		return true;
	if (task_is_stopped(p))
		return false;
	return p->on_cpu || !signal_pending(p);
}

bool sig_fatal(struct task_struct *p, int sig)
{
	return !siginmask(sig, SIG_KERNEL_IGNORE_MASK |
			       SIG_KERNEL_STOP_MASK) &&
	       sig_handler(p, sig) == SIG_DFL;
}

/*
 * A thread that will act on it; NULL if the signal has to wait. With siglock
 * held.
 */
static struct task_struct *choose_target(int sig, struct task_struct *p,
					 enum pid_type type)
{
	struct signal_struct *signal = p->signal;
	struct task_struct *t;

	if (wants_signal(sig, p))
		return p;
	if (type == PIDTYPE_PID || thread_group_empty(p))
		return NULL;
	t = signal->curr_target;
	do {
		if (wants_signal(sig, t)) {
			signal->curr_target = t;
			return t;
		}
		t = list_is_last(&t->thread_node, &signal->thread_head) ?
		    list_first_entry(&signal->thread_head, struct task_struct,
				     thread_node) :
		    list_next_entry(t, thread_node);
	} while (t != signal->curr_target);
	return NULL;
}

/*
 * With siglock held, the signal being pending: wakes whoever is to act on it.
 */
static void complete_signal(int sig, struct task_struct *p, enum pid_type type)
{
	struct signal_struct *signal = p->signal;
	struct task_struct *t = choose_target(sig, p, type);

	if (!t)
		return;
	/* What ends the process ends all of its threads, right now. */
	if (sig_fatal(p, sig) &&
	    !(signal->flags & SIGNAL_GROUP_EXIT) &&
	    !(t->real_blocked & sigmask(sig)) &&
	    (sig == SIGKILL || !(signal->flags & SIGNAL_UNKILLABLE))) {
		signal->flags = (signal->flags & ~SIGNAL_STOP_MASK) |
				SIGNAL_GROUP_EXIT;
		signal->group_exit_code = sig;
		signal->group_stop_count = 0;
		for_each_thread(p, t) {
			task_clear_jobctl_pending(t, JOBCTL_PENDING_MASK);
			t->pending.signal |= sigmask(SIGKILL);
			signal_wake_up(t, 1);
		}
		return;
	}
	signal_wake_up(t, sig == SIGKILL);
}

static void fill_info(kernel_siginfo_t *to, int sig,
		      const struct kernel_siginfo *info)
{
	if (info != SEND_SIG_NOINFO && info != SEND_SIG_PRIV) {
		*to = *info;
		return;
	}
	clear_siginfo(to);
	to->si_signo = sig;
	to->si_code = SI_KERNEL;
	if (info == SEND_SIG_NOINFO) {
		to->si_code = SI_USER;
		to->si_pid = task_tgid_nr(current);
	}
}

static bool is_si_special(const struct kernel_siginfo *info)
{
	return info <= SEND_SIG_PRIV;
}

/*
 * With @t's siglock held and interrupts off. Does not sleep: without memory an
 * ordinary signal goes without its info.
 */
int __send_signal_locked(int sig, struct kernel_siginfo *info,
			 struct task_struct *t, enum pid_type type, bool force)
{
	int ret = 0, result = TRACE_SIGNAL_IGNORED;
	struct sigpending *pending;
	struct sigqueue *q = NULL;

	if (!prepare_signal(sig, t, force))
		goto ret;
	pending = type == PIDTYPE_PID ? &t->pending :
					&t->signal->shared_pending;
	/* An ordinary signal that is pending already says it all. */
	result = TRACE_SIGNAL_ALREADY_PENDING;
	if (sig < SIGRTMIN && pending->signal & sigmask(sig))
		goto ret;
	result = TRACE_SIGNAL_DELIVERED;
	if (sig != SIGKILL && !(t->flags & PF_KTHREAD)) {
		bool override = sig < SIGRTMIN &&
				(is_si_special(info) || info->si_code >= 0);

		q = __sigqueue_alloc(sig, override);
		if (q) {
			fill_info(&q->info, sig, info);
			list_add_tail(&q->list, &pending->list);
		} else if (!is_si_special(info) && sig >= SIGRTMIN &&
			   info->si_code != SI_USER) {
			result = TRACE_SIGNAL_OVERFLOW_FAIL;
			ret = -EAGAIN;
			goto ret;
		} else {
			result = TRACE_SIGNAL_LOSE_INFO;
		}
	}
	pending->signal |= sigmask(sig);
	complete_signal(sig, t, type);
ret:
	trace_signal_generate(sig, info, t, type != PIDTYPE_PID, result);
	return ret;
}

/* With @t's siglock held and interrupts off. @q stays its timer's. */
int send_sigqueue(struct sigqueue *q, struct task_struct *t,
		  enum pid_type type)
{
	int sig = q->info.si_signo, ret = 1, result = TRACE_SIGNAL_IGNORED;
	struct sigpending *pending;

	if (!prepare_signal(sig, t, false))
		goto out;
	ret = 0;
	/* Still there: the timer has been set anew since. */
	result = TRACE_SIGNAL_ALREADY_PENDING;
	if (!list_empty(&q->list))
		goto out;
	result = TRACE_SIGNAL_DELIVERED;
	pending = type == PIDTYPE_PID ? &t->pending :
					&t->signal->shared_pending;
	q->info.si_overrun = 0;
	list_add_tail(&q->list, &pending->list);
	pending->signal |= sigmask(sig);
	complete_signal(sig, t, type);
out:
	trace_signal_generate(sig, &q->info, t, type != PIDTYPE_PID, result);
	return ret;
}

/* With @t's siglock held and interrupts off. */
int send_signal_locked(int sig, struct kernel_siginfo *info,
		       struct task_struct *t, enum pid_type type)
{
	return __send_signal_locked(sig, info, t, type,
				    info == SEND_SIG_PRIV);
}

/*
 * Takes siglock, in any context but NMI. The caller sees to it that @p stays.
 */
int do_send_sig_info(int sig, struct kernel_siginfo *info,
		     struct task_struct *p, enum pid_type type)
{
	unsigned long flags;
	int ret = -ESRCH;

	if (lock_task_sighand(p, &flags)) {
		ret = send_signal_locked(sig, info, p, type);
		unlock_task_sighand(p, &flags);
	}
	return ret;
}

/* Signal 0 only asks whether there is somebody. */
int group_send_sig_info(int sig, struct kernel_siginfo *info,
			struct task_struct *p, enum pid_type type)
{
	return sig ? do_send_sig_info(sig, info, p, type) : 0;
}

int send_sig_info(int sig, struct kernel_siginfo *info, struct task_struct *p)
{
	if (!valid_signal(sig))
		return -EINVAL;
	return do_send_sig_info(sig, info, p, PIDTYPE_PID);
}

int send_sig(int sig, struct task_struct *p, int priv)
{
	return send_sig_info(sig, priv ? SEND_SIG_PRIV : SEND_SIG_NOINFO, p);
}

/* One that was sent is enough. With tasklist_lock held. */
int __kill_pgrp_info(int sig, struct kernel_siginfo *info, struct pid *pgrp)
{
	struct task_struct *p;
	bool success = false;
	int ret = -ESRCH;

	do_each_pid_task(pgrp, PIDTYPE_PGID, p) {
		int err = group_send_sig_info(sig, info, p, PIDTYPE_PGID);

		success |= !err;
		ret = err;
	}
	return success ? 0 : ret;
}

int kill_pgrp(struct pid *pid, int sig, int priv)
{
	int ret = -ESRCH;

	spin_lock_irq(&tasklist_lock);
	if (pid)
		ret = __kill_pgrp_info(sig, priv ? SEND_SIG_PRIV :
						   SEND_SIG_NOINFO, pid);
	spin_unlock_irq(&tasklist_lock);
	return ret;
}

/*
 * For a fault of the running program: if it blocks or ignores the signal, that
 * ends it. Init would have to be told; it cannot. Takes siglock.
 */
static int force_sig_info_to_task(struct kernel_siginfo *info,
				  struct task_struct *t, bool fatal)
{
	int sig = info->si_signo, ret;
	struct sigaction *sa;
	unsigned long flags;
	bool blocked, ignored;

	spin_lock_irqsave(&t->sighand->siglock, flags);
	sa = &t->sighand->action[sig - 1].sa;
	ignored = sa->sa_handler == SIG_IGN;
	blocked = t->blocked & sigmask(sig);
	if (blocked || ignored || fatal) {
		sa->sa_handler = SIG_DFL;
		if (blocked) {
			t->blocked &= ~sigmask(sig);
			recalc_sigpending_and_wake(t);
		}
	}
	if (is_global_init(t) && sa->sa_handler == SIG_DFL) {
		spin_unlock_irqrestore(&t->sighand->siglock, flags);
		panic_regs(current_pt_regs(), "init: fault, signal %d", sig);
	}
	ret = __send_signal_locked(sig, info, t, PIDTYPE_PID, true);
	if (!signal_pending(t))
		signal_wake_up(t, 0);
	spin_unlock_irqrestore(&t->sighand->siglock, flags);
	return ret;
}

int force_sig_fault(int sig, int code, void __user *addr)
{
	struct kernel_siginfo info;

	clear_siginfo(&info);
	info.si_signo = sig;
	info.si_code = code;
	info.si_addr = addr;
	return force_sig_info_to_task(&info, current, false);
}

static void force_kernel_sig(int sig, bool fatal)
{
	struct kernel_siginfo info;

	clear_siginfo(&info);
	info.si_signo = sig;
	info.si_code = SI_KERNEL;
	force_sig_info_to_task(&info, current, fatal);
}

void force_sig(int sig)
{
	force_kernel_sig(sig, false);
}

/* There is no program left that could handle it. */
void force_fatal_sig(int sig)
{
	force_kernel_sig(sig, true);
}

/* The handler of @sig could not be started. */
void force_sigsegv(int sig)
{
	if (sig == SIGSEGV)
		force_fatal_sig(SIGSEGV);
	else
		force_sig(SIGSEGV);
}
