/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals: a bit per signal. They kill or are ignored; a program's own
 * handlers are not supported.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#define SIG_KERNEL_IGNORE_MASK \
	(sigmask(SIGCHLD) | sigmask(SIGCONT) | sigmask(SIGURG) | \
	 sigmask(SIGWINCH) | sigmask(SIGSTOP) | sigmask(SIGTSTP) | \
	 sigmask(SIGTTIN) | sigmask(SIGTTOU))

/* Cannot be ignored or blocked. */
#define SIG_KERNEL_ONLY_MASK	(sigmask(SIGKILL) | sigmask(SIGSTOP))

/* The status that a parent sees has this bit if a core would be dumped. */
#define WCOREFLAG		0x80
#define SIG_KERNEL_COREDUMP_MASK \
	(sigmask(SIGQUIT) | sigmask(SIGILL) | sigmask(SIGTRAP) | \
	 sigmask(SIGABRT) | sigmask(SIGFPE) | sigmask(SIGSEGV) | \
	 sigmask(SIGBUS))

/* Init ignores what it has not asked for, but for its own faults. */
bool signal_ignored(int sig, const struct task_struct *p)
{
	if (p->pid == 1 || p->flags & PF_KTHREAD)
		return true;
	return (p->ignored | SIG_KERNEL_IGNORE_MASK) & sigmask(sig);
}

static void recalc_sigpending(struct task_struct *p)
{
	if (p->pending & ~p->blocked)
		set_bit(TIF_SIGPENDING, &p->thread_info_flags);
	else
		clear_bit(TIF_SIGPENDING, &p->thread_info_flags);
}

/* A sleeper wakes to see it, a running task is sent into the kernel. */
static void signal_wake_up(struct task_struct *p)
{
	set_bit(TIF_SIGPENDING, &p->thread_info_flags);
	if (!wake_up_state(p, TASK_INTERRUPTIBLE))
		kick_process(p);
}

int send_sig(int sig, struct task_struct *p)
{
	unsigned long flags;

	spin_lock_irqsave(&p->siglock, flags);
	if (!signal_ignored(sig, p)) {
		p->pending |= sigmask(sig);
		if (!(p->blocked & sigmask(sig)))
			signal_wake_up(p);
	}
	spin_unlock_irqrestore(&p->siglock, flags);
	return 0;
}

/* For a fault of the running program: it cannot be put off. */
void force_sig(int sig)
{
	struct task_struct *p = current;
	unsigned long flags;

	if (p->pid == 1)
		panic_regs(current_pt_regs(), "init: fault, signal %d", sig);
	spin_lock_irqsave(&p->siglock, flags);
	p->ignored &= ~sigmask(sig);
	p->blocked &= ~sigmask(sig);
	p->pending |= sigmask(sig);
	recalc_sigpending(p);
	spin_unlock_irqrestore(&p->siglock, flags);
}

/* A kernel thread hears of nothing, nor do those that it makes. */
void ignore_signals(struct task_struct *p)
{
	p->ignored = ~0UL;
	p->pending = 0;
}

/* A new program: what was ignored stays so. */
void flush_signal_handlers(struct task_struct *p)
{
	p->ignored &= ~SIG_KERNEL_ONLY_MASK;
}

/* The next signal to act on, or 0. */
static int dequeue_signal(struct task_struct *p)
{
	unsigned long todo;
	int sig = 0;

	spin_lock_irq(&p->siglock);
	todo = p->pending & ~p->blocked;
	if (todo) {
		/* The program's own faults come before what others sent. */
		sig = __ffs(todo & SIG_KERNEL_COREDUMP_MASK ?
			    todo & SIG_KERNEL_COREDUMP_MASK : todo) + 1;
		p->pending &= ~sigmask(sig);
	}
	recalc_sigpending(p);
	spin_unlock_irq(&p->siglock);
	return sig;
}

/* It may have been ignored after it was sent. */
static void get_signal(void)
{
	struct task_struct *p = current;
	int sig;

	while ((sig = dequeue_signal(p))) {
		if (signal_ignored(sig, p))
			continue;
		do_group_exit(sig |
			      (sigmask(sig) & SIG_KERNEL_COREDUMP_MASK ?
			       WCOREFLAG : 0));
	}
}

void arch_do_signal_or_restart(struct pt_regs *regs)
{
	get_signal();
	restart_syscall_if_interrupted(regs);
}

static int kill_group(int sig, pid_t pgrp)
{
	struct task_struct *p;
	int ret = -ESRCH;

	spin_lock(&tasklist_lock);
	for_each_process(p) {
		if (pgrp == -1 ? p->pid <= 1 || p == current : p->pgrp != pgrp)
			continue;
		if (sig)
			send_sig(sig, p);
		ret = 0;
	}
	spin_unlock(&tasklist_lock);
	return ret;
}

static long kill_something_info(int sig, pid_t pid)
{
	struct task_struct *p;

	if (sig < 0 || sig > _NSIG)
		return -EINVAL;
	if (pid == -1)
		return kill_group(sig, -1);
	if (pid <= 0)
		return kill_group(sig, pid ? -pid : current->pgrp);
	p = find_get_task_by_vpid(pid);
	if (!p)
		return -ESRCH;
	if (sig)
		send_sig(sig, p);
	put_task_struct(p);
	return 0;
}

SYSCALL_DEFINE2(kill, pid_t, pid, int, sig)
{
	return kill_something_info(sig, pid);
}

SYSCALL_DEFINE3(tgkill, pid_t, tgid, pid_t, pid, int, sig)
{
	return tgid == pid ? kill_something_info(sig, pid) : -ESRCH;
}

static inline int get_sigset(unsigned long *set,
			     const unsigned long __user *user, size_t size)
{
	if (size != sizeof(*set))
		return -EINVAL;
	return get_user(*set, user);
}

SYSCALL_DEFINE4(rt_sigaction, int, sig, const struct sigaction __user *, act,
		struct sigaction __user *, oact, size_t, sigsetsize)
{
	struct task_struct *p = current;
	struct sigaction new = {}, old = {};

	if (sigsetsize != sizeof(unsigned long) || sig < 1 || sig > _NSIG)
		return -EINVAL;
	if (act && copy_from_user(&new, act, sizeof(new)))
		return -EFAULT;
	if (act && (sigmask(sig) & SIG_KERNEL_ONLY_MASK ||
		    new.sa_handler > SIG_IGN))
		return -EINVAL;

	spin_lock_irq(&p->siglock);
	old.sa_handler = p->ignored & sigmask(sig) ? SIG_IGN : SIG_DFL;
	if (act && new.sa_handler == SIG_IGN)
		p->ignored |= sigmask(sig);
	else if (act)
		p->ignored &= ~sigmask(sig);
	spin_unlock_irq(&p->siglock);
	return oact && copy_to_user(oact, &old, sizeof(old)) ? -EFAULT : 0;
}

SYSCALL_DEFINE4(rt_sigprocmask, int, how, const unsigned long __user *, nset,
		unsigned long __user *, oset, size_t, sigsetsize)
{
	struct task_struct *p = current;
	unsigned long set = 0, old;
	int err = 0;

	if (nset) {
		err = get_sigset(&set, nset, sigsetsize);
		if (err)
			return err;
		set &= ~SIG_KERNEL_ONLY_MASK;
	}
	spin_lock_irq(&p->siglock);
	old = p->blocked;
	if (nset && how == SIG_BLOCK)
		p->blocked |= set;
	else if (nset && how == SIG_UNBLOCK)
		p->blocked &= ~set;
	else if (nset && how == SIG_SETMASK)
		p->blocked = set;
	else if (nset)
		err = -EINVAL;
	recalc_sigpending(p);
	spin_unlock_irq(&p->siglock);
	return !err && oset ? put_user(old, oset) : err;
}
