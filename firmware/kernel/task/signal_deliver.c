/* SPDX-License-Identifier: GPL-2.0-only */
/* Acting on signals: handlers, stopping, ending; telling the parent. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <trace/events/signal.h>

/*
 * The last thread of a process to stop says so to the parent: true, and the
 * caller does it without siglock, which is held.
 */
static bool task_participate_group_stop(struct task_struct *task)
{
	struct signal_struct *sig = task->signal;
	bool consume = task->jobctl & JOBCTL_STOP_CONSUME;

	task_clear_jobctl_pending(task, JOBCTL_STOP_PENDING);
	if (!consume)
		return false;
	if (sig->group_stop_count > 0)
		sig->group_stop_count--;
	if (sig->group_stop_count || sig->flags & SIGNAL_STOP_STOPPED)
		return false;
	sig->flags = (sig->flags & ~SIGNAL_STOP_MASK) | SIGNAL_STOP_STOPPED;
	return true;
}

/* The others of the group are asked to stop as well. With siglock held. */
static bool start_group_stop(int signr)
{
	unsigned long gstop = JOBCTL_STOP_PENDING | JOBCTL_STOP_CONSUME;
	struct signal_struct *sig = current->signal;
	struct task_struct *t;

	if (!(current->jobctl & JOBCTL_STOP_DEQUEUED) ||
	    sig->flags & SIGNAL_GROUP_EXIT || sig->group_exec_task)
		return false;
	if (!(sig->flags & SIGNAL_STOP_STOPPED))
		sig->group_exit_code = signr;
	sig->group_stop_count = 0;
	if (task_set_jobctl_pending(current, signr | gstop))
		sig->group_stop_count++;
	for_each_thread(current, t) {
		if (t == current || task_is_stopped(t) ||
		    !task_set_jobctl_pending(t, signr | gstop))
			continue;
		sig->group_stop_count++;
		signal_wake_up(t, 0);
	}
	return true;
}

/*
 * Called with siglock held and interrupts off. True: both were released, the
 * task has stopped, and somebody has let it go on.
 */
static bool do_signal_stop(int signr)
{
	bool notify;

	if (!(current->jobctl & JOBCTL_STOP_PENDING) &&
	    !start_group_stop(signr))
		return false;
	notify = task_participate_group_stop(current);
	current->jobctl |= JOBCTL_STOPPED;
	set_current_state(TASK_STOPPED);
	spin_unlock_irq(&current->sighand->siglock);
	if (notify) {
		spin_lock(&tasklist_lock);
		do_notify_parent_cldstop(current, CLD_STOPPED);
		spin_unlock(&tasklist_lock);
	}
	schedule();
	return true;
}

/* Called with siglock held, which is released: what was missed is told now. */
static void notify_continued(void)
{
	struct signal_struct *signal = current->signal;
	int why = signal->flags & SIGNAL_CLD_CONTINUED ? CLD_CONTINUED :
							 CLD_STOPPED;

	signal->flags &= ~SIGNAL_CLD_MASK;
	spin_unlock_irq(&current->sighand->siglock);
	spin_lock(&tasklist_lock);
	do_notify_parent_cldstop(current, why);
	spin_unlock(&tasklist_lock);
}

/* What the signal means; the lock may have been let go for DO_RELOCK. */
enum verdict { DO_HANDLE, DO_NOTHING, DO_RELOCK, DO_END };

/*
 * What the signal means. Called with siglock held, which is released for
 * DO_RELOCK only.
 */
static enum verdict judge_signal(struct ksignal *ksig, int signr)
{
	struct sighand_struct *sighand = current->sighand;
	struct k_sigaction *ka = &sighand->action[signr - 1];

	if (ka->sa.sa_handler == SIG_IGN)
		return DO_NOTHING;
	if (ka->sa.sa_handler != SIG_DFL) {
		ksig->ka = *ka;
		if (ka->sa.sa_flags & SA_RESETHAND)
			ka->sa.sa_handler = SIG_DFL;
		return DO_HANDLE;
	}
	if (sig_kernel_ignore(signr))
		return DO_NOTHING;
	if (unlikely(current->signal->flags & SIGNAL_UNKILLABLE) &&
	    !sig_kernel_only(signr))
		return DO_NOTHING;
	if (!sig_kernel_stop(signr))
		return DO_END;
	if (signr != SIGSTOP) {
		/* Nobody could continue an orphaned group. */
		spin_unlock_irq(&sighand->siglock);
		if (is_current_pgrp_orphaned())
			return DO_RELOCK;
		spin_lock_irq(&sighand->siglock);
	}
	return do_signal_stop(signr) ? DO_RELOCK : DO_NOTHING;
}

static bool must_die(const struct signal_struct *signal)
{
	return signal->flags & SIGNAL_GROUP_EXIT || signal->group_exec_task;
}

/*
 * True: there is a handler to call. Called by the task itself with interrupts
 * on and no lock held, and returns so; may stop for long, and does not return
 * if the process is to end.
 */
bool get_signal(struct ksignal *ksig)
{
	struct sighand_struct *sighand = current->sighand;
	struct signal_struct *signal = current->signal;
	enum verdict verdict = DO_RELOCK;
	enum pid_type type;
	int signr = 0;

	do {
		if (verdict == DO_RELOCK)
			spin_lock_irq(&sighand->siglock);
		if (signal->flags & SIGNAL_CLD_MASK) {
			notify_continued();
			verdict = DO_RELOCK;
			continue;
		}
		if (must_die(signal)) {
			signr = SIGKILL;
			current->pending.signal &= ~sigmask(SIGKILL);
			trace_signal_deliver(SIGKILL, SEND_SIG_NOINFO,
					     &sighand->action[SIGKILL - 1]);
			recalc_sigpending();
			verdict = DO_END;
			break;
		}
		if (unlikely(current->jobctl & JOBCTL_STOP_PENDING) &&
		    do_signal_stop(0)) {
			verdict = DO_RELOCK;
			continue;
		}
		signr = dequeue_synchronous_signal(&ksig->info);
		if (!signr)
			signr = dequeue_signal(current, &current->blocked,
					       &ksig->info, &type);
		if (!signr)
			break;
		trace_signal_deliver(signr, &ksig->info,
				     &sighand->action[signr - 1]);
		verdict = judge_signal(ksig, signr);
	} while (verdict == DO_NOTHING || verdict == DO_RELOCK);
	spin_unlock_irq(&sighand->siglock);

	if (signr && verdict == DO_END) {
		current->flags |= PF_SIGNALED;
		do_group_exit(signr);
	}
	ksig->sig = signr;
	return signr > 0;
}

/* The handler runs next: what its mask adds is blocked until it returns. */
static void signal_delivered(struct ksignal *ksig, int stepping)
{
	sigset_t blocked = current->blocked | ksig->ka.sa.sa_mask;

	current->restore_sigmask = false;
	if (!(ksig->ka.sa.sa_flags & SA_NODEFER))
		blocked |= sigmask(ksig->sig);
	set_current_blocked(&blocked);
	if (current->sas_ss_flags & SS_AUTODISARM)
		sas_ss_reset(current);
}

void signal_setup_done(int failed, struct ksignal *ksig, int stepping)
{
	if (failed)
		force_sigsegv(ksig->sig);
	else
		signal_delivered(ksig, stepping);
}

static void fill_child_info(struct kernel_siginfo *info,
			    struct task_struct *tsk, int code, int status)
{
	clear_siginfo(info);
	info->si_signo = SIGCHLD;
	info->si_code = code;
	info->si_pid = task_pid_nr(tsk);
	info->si_status = status;
	info->si_utime = tsk->utime + tsk->signal->usage.utime;
	info->si_stime = tsk->stime + tsk->signal->usage.stime;
}

void __wake_up_parent(struct task_struct *p, struct task_struct *parent)
{
	__wake_up_sync_key(&parent->signal->wait_chldexit, TASK_INTERRUPTIBLE,
			   p);
}

/*
 * True if the parent does not want to wait for it. With tasklist_lock held;
 * takes the parent's siglock.
 */
bool do_notify_parent(struct task_struct *tsk, int sig)
{
	struct task_struct *parent = tsk->real_parent;
	struct sighand_struct *psig = parent->sighand;
	struct kernel_siginfo info;
	unsigned long flags;
	bool autoreap = false;

	fill_child_info(&info, tsk, CLD_EXITED, tsk->exit_code >> 8 & 0xff);
	if (tsk->exit_code & 0x7f) {
		info.si_code = tsk->exit_code & 0x80 ? CLD_DUMPED : CLD_KILLED;
		info.si_status = tsk->exit_code & 0x7f;
	}
	info.si_signo = sig;

	spin_lock_irqsave(&psig->siglock, flags);
	if (sig == SIGCHLD) {
		const struct sigaction *sa = &psig->action[SIGCHLD - 1].sa;

		autoreap = sa->sa_handler == SIG_IGN ||
			   sa->sa_flags & SA_NOCLDWAIT;
		if (sa->sa_handler == SIG_IGN)
			sig = 0;
	}
	if (sig && valid_signal(sig))
		__send_signal_locked(sig, &info, parent, PIDTYPE_TGID, false);
	__wake_up_parent(tsk, parent);
	spin_unlock_irqrestore(&psig->siglock, flags);
	return autoreap;
}

/* With tasklist_lock held; takes the parent's siglock. */
void do_notify_parent_cldstop(struct task_struct *tsk, int why)
{
	struct task_struct *parent = tsk->group_leader->real_parent;
	struct sighand_struct *sighand = parent->sighand;
	struct kernel_siginfo info;
	const struct sigaction *sa;
	unsigned long flags;

	fill_child_info(&info, tsk->group_leader, why,
			why == CLD_STOPPED ?
			tsk->signal->group_exit_code & 0x7f : SIGCONT);
	spin_lock_irqsave(&sighand->siglock, flags);
	sa = &sighand->action[SIGCHLD - 1].sa;
	if (sa->sa_handler != SIG_IGN && !(sa->sa_flags & SA_NOCLDSTOP))
		send_signal_locked(SIGCHLD, &info, parent, PIDTYPE_TGID);
	__wake_up_parent(tsk->group_leader, parent);
	spin_unlock_irqrestore(&sighand->siglock, flags);
}

/*
 * An exiting thread leaves the group's signals to the others. With siglock
 * held.
 */
static void retarget_shared_pending(struct task_struct *tsk, sigset_t which)
{
	sigset_t retarget = tsk->signal->shared_pending.signal & which;
	struct task_struct *t;

	if (!retarget)
		return;
	for_each_thread(tsk, t) {
		if (t == tsk || t->flags & PF_EXITING ||
		    !(retarget & ~t->blocked))
			continue;
		retarget &= t->blocked;
		if (!signal_pending(t))
			signal_wake_up(t, 0);
		if (!retarget)
			break;
	}
}

/*
 * Takes siglock, then tasklist_lock; the caller holds neither. After this the
 * task is sent no more of the group's signals.
 */
void exit_signals(struct task_struct *tsk)
{
	bool group_stop = false;

	spin_lock_irq(&tsk->sighand->siglock);
	tsk->flags |= PF_EXITING;
	if (!thread_group_empty(tsk) &&
	    !(tsk->signal->flags & SIGNAL_GROUP_EXIT)) {
		retarget_shared_pending(tsk, ~tsk->blocked);
		group_stop = tsk->jobctl & JOBCTL_STOP_PENDING &&
			     task_participate_group_stop(tsk);
	}
	spin_unlock_irq(&tsk->sighand->siglock);
	if (group_stop) {
		spin_lock(&tasklist_lock);
		do_notify_parent_cldstop(tsk, CLD_STOPPED);
		spin_unlock(&tasklist_lock);
	}
}

/* Signals that a thread no longer takes may be somebody else's. */
void set_current_blocked(sigset_t *newset)
{
	struct task_struct *tsk = current;
	sigset_t set = *newset & ~SIG_KERNEL_ONLY_MASK;

	if (tsk->blocked == set)
		return;
	spin_lock_irq(&tsk->sighand->siglock);
	if (signal_pending(tsk) && !thread_group_empty(tsk))
		retarget_shared_pending(tsk, set & ~tsk->blocked);
	tsk->blocked = set;
	recalc_sigpending();
	spin_unlock_irq(&tsk->sighand->siglock);
}
