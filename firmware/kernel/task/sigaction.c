/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls by which a program arranges for signals, and waits for them. */
#include <linux/kernel.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <asm/processor.h>

int copy_siginfo_to_user(siginfo_t __user *to, const kernel_siginfo_t *from)
{
	if (copy_to_user(&to->info, from, sizeof(*from)))
		return -EFAULT;
	return clear_user(to->__unused, sizeof(to->__unused)) ? -EFAULT : 0;
}

int copy_siginfo_from_user(kernel_siginfo_t *to, const siginfo_t __user *from)
{
	return copy_from_user(to, &from->info, sizeof(*to)) ? -EFAULT : 0;
}

/* What is ignored from now on is also forgotten. */
static void flush_ignored(struct task_struct *p, int sig, unsigned long handler)
{
	struct task_struct *t;

	if (handler != SIG_IGN &&
	    !(handler == SIG_DFL && sig_kernel_ignore(sig)))
		return;
	flush_sigqueue_mask(sigmask(sig), &p->signal->shared_pending);
	for_each_thread(p, t)
		flush_sigqueue_mask(sigmask(sig), &t->pending);
}

int do_sigaction(int sig, struct k_sigaction *act, struct k_sigaction *oact)
{
	struct task_struct *p = current;
	struct k_sigaction *k;

	if (!valid_signal(sig) || sig < 1 || (act && sig_kernel_only(sig)))
		return -EINVAL;
	k = &p->sighand->action[sig - 1];
	spin_lock_irq(&p->sighand->siglock);
	if (oact)
		*oact = *k;
	if (act) {
		act->sa.sa_mask &= ~SIG_KERNEL_ONLY_MASK;
		*k = *act;
		flush_ignored(p, sig, act->sa.sa_handler);
	}
	spin_unlock_irq(&p->sighand->siglock);
	return 0;
}

#ifndef CONFIG_ODD_RT_SIGACTION
SYSCALL_DEFINE4(rt_sigaction, int, sig, const struct sigaction __user *, act,
		struct sigaction __user *, oact, size_t, sigsetsize)
{
	struct k_sigaction new, old;
	int ret;

	if (sigsetsize != sizeof(sigset_t))
		return -EINVAL;
	if (act && copy_from_user(&new.sa, act, sizeof(new.sa)))
		return -EFAULT;
	ret = do_sigaction(sig, act ? &new : NULL, oact ? &old : NULL);
	if (!ret && oact && copy_to_user(oact, &old.sa, sizeof(old.sa)))
		ret = -EFAULT;
	return ret;
}
#endif

/* A kernel thread's own. */
void kernel_sigaction(int sig, unsigned long handler)
{
	spin_lock_irq(&current->sighand->siglock);
	current->sighand->action[sig - 1].sa.sa_handler = handler;
	flush_ignored(current, sig, handler);
	spin_unlock_irq(&current->sighand->siglock);
}

static int get_sigset(sigset_t *set, const sigset_t __user *user, size_t size)
{
	if (size != sizeof(*set))
		return -EINVAL;
	return get_user(*set, user);
}

static int sigprocmask(int how, const sigset_t *set)
{
	sigset_t newset;

	switch (how) {
	case SIG_BLOCK:
		newset = current->blocked | *set;
		break;
	case SIG_UNBLOCK:
		newset = current->blocked & ~*set;
		break;
	case SIG_SETMASK:
		newset = *set;
		break;
	default:
		return -EINVAL;
	}
	set_current_blocked(&newset);
	return 0;
}

SYSCALL_DEFINE4(rt_sigprocmask, int, how, sigset_t __user *, nset,
		sigset_t __user *, oset, size_t, sigsetsize)
{
	sigset_t old = current->blocked, new;
	int error;

	if (sigsetsize != sizeof(sigset_t))
		return -EINVAL;
	if (nset) {
		error = get_user(new, nset);
		if (error)
			return error;
		new &= ~SIG_KERNEL_ONLY_MASK;
		error = sigprocmask(how, &new);
		if (error)
			return error;
	}
	return oset ? put_user(old, oset) : 0;
}

SYSCALL_DEFINE2(rt_sigpending, sigset_t __user *, uset, size_t, sigsetsize)
{
	sigset_t set;

	if (sigsetsize > sizeof(set))
		return -EINVAL;
	spin_lock_irq(&current->sighand->siglock);
	set = current->pending.signal | current->signal->shared_pending.signal;
	spin_unlock_irq(&current->sighand->siglock);
	set &= current->blocked;
	return copy_to_user(uset, &set, sigsetsize) ? -EFAULT : 0;
}

/* The old mask comes back once the handler has run. */
static int sigsuspend(sigset_t *set)
{
	current->saved_sigmask = current->blocked;
	set_current_blocked(set);
	while (!signal_pending(current)) {
		__set_current_state(TASK_INTERRUPTIBLE);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	set_restore_sigmask();
	return -ERESTARTNOHAND;
}

SYSCALL_DEFINE2(rt_sigsuspend, sigset_t __user *, unewset, size_t, sigsetsize)
{
	sigset_t newset;
	int err = get_sigset(&newset, unewset, sigsetsize);

	return err ? err : sigsuspend(&newset);
}

SYSCALL_DEFINE0(pause)
{
	while (!signal_pending(current)) {
		__set_current_state(TASK_INTERRUPTIBLE);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return -ERESTARTNOHAND;
}

/* Until one of @which comes, though they are blocked; no time: only looks. */
static int do_sigtimedwait(const sigset_t *which, kernel_siginfo_t *info,
			   const struct timespec64 *ts)
{
	struct task_struct *tsk = current;
	sigset_t mask = ~(*which & ~SIG_KERNEL_ONLY_MASK);
	ktime_t timeout = ts ? timespec64_to_ktime(*ts) : KTIME_MAX;
	enum pid_type type;
	int sig, ret = 0;

	spin_lock_irq(&tsk->sighand->siglock);
	sig = dequeue_signal(tsk, &mask, info, &type);
	if (!sig && timeout) {
		/* They do not end the process while they are awaited. */
		tsk->real_blocked = tsk->blocked;
		tsk->blocked &= mask;
		recalc_sigpending();
		spin_unlock_irq(&tsk->sighand->siglock);

		__set_current_state(TASK_INTERRUPTIBLE);
		ret = schedule_hrtimeout(&timeout,
					 HRTIMER_MODE_REL);

		spin_lock_irq(&tsk->sighand->siglock);
		tsk->blocked = tsk->real_blocked;
		tsk->real_blocked = 0;
		sig = dequeue_signal(tsk, &mask, info, &type);
	}
	spin_unlock_irq(&tsk->sighand->siglock);
	if (sig)
		return sig;
	return ret ? -EINTR : -EAGAIN;
}

SYSCALL_DEFINE4(rt_sigtimedwait, const sigset_t __user *, uthese,
		siginfo_t __user *, uinfo,
		const struct __kernel_timespec __user *, uts,
		size_t, sigsetsize)
{
	struct __kernel_timespec kts;
	struct timespec64 ts;
	kernel_siginfo_t info;
	sigset_t these;
	int ret = get_sigset(&these, uthese, sigsetsize);

	if (ret)
		return ret;
	if (uts) {
		if (copy_from_user(&kts, uts, sizeof(kts)))
			return -EFAULT;
		ts.tv_sec = kts.tv_sec;
		ts.tv_nsec = kts.tv_nsec;
		if (!timespec64_valid(&ts))
			return -EINVAL;
	}
	ret = do_sigtimedwait(&these, &info, uts ? &ts : NULL);
	if (ret > 0 && uinfo && copy_siginfo_to_user(uinfo, &info))
		ret = -EFAULT;
	return ret;
}

/* @sp: where the program's stack is; it must not be on this one now. */
static int do_sigaltstack(const stack_t *ss, stack_t *oss, unsigned long sp)
{
	struct task_struct *t = current;
	unsigned int mode;

	if (oss) {
		*oss = (stack_t){
			.ss_sp = (void __user *)t->sas_ss_sp,
			.ss_size = t->sas_ss_size,
			.ss_flags = sas_ss_flags(sp) |
				    (t->sas_ss_flags & SS_AUTODISARM),
		};
	}
	if (!ss)
		return 0;
	if (on_sig_stack(sp))
		return -EPERM;
	mode = ss->ss_flags & ~SS_AUTODISARM;
	if (mode != SS_DISABLE && mode != SS_ONSTACK && mode)
		return -EINVAL;
	if (mode == SS_DISABLE) {
		t->sas_ss_sp = 0;
		t->sas_ss_size = 0;
	} else {
		if (ss->ss_size < MINSIGSTKSZ)
			return -ENOMEM;
		t->sas_ss_sp = (unsigned long)ss->ss_sp;
		t->sas_ss_size = ss->ss_size;
	}
	t->sas_ss_flags = ss->ss_flags;
	return 0;
}

SYSCALL_DEFINE2(sigaltstack, const stack_t __user *, uss,
		stack_t __user *, uoss)
{
	stack_t new, old;
	int err;

	if (uss && copy_from_user(&new, uss, sizeof(new)))
		return -EFAULT;
	err = do_sigaltstack(uss ? &new : NULL, uoss ? &old : NULL,
			     user_stack_pointer(current_pt_regs()));
	if (!err && uoss && copy_to_user(uoss, &old, sizeof(old)))
		err = -EFAULT;
	return err;
}

/* What a frame says; nonsense there is not an error. */
int restore_altstack(const stack_t __user *uss)
{
	stack_t new;

	if (copy_from_user(&new, uss, sizeof(new)))
		return -EFAULT;
	do_sigaltstack(&new, NULL, user_stack_pointer(current_pt_regs()));
	return 0;
}

int __save_altstack(stack_t __user *uss, unsigned long sp)
{
	stack_t now = {
		.ss_sp = (void __user *)current->sas_ss_sp,
		.ss_size = current->sas_ss_size,
		.ss_flags = current->sas_ss_flags,
	};

	return copy_to_user(uss, &now, sizeof(now)) ? -EFAULT : 0;
}

SYSCALL_DEFINE0(restart_syscall)
{
	struct restart_block *restart = &current->restart_block;

	return restart->fn(restart);
}

long do_no_restart_syscall(struct restart_block *param)
{
	return -EINTR;
}
