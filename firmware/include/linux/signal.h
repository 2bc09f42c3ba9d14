/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals: sending them, and what is common to all ways of acting on them. */
#ifndef _LINUX_SIGNAL_H
#define _LINUX_SIGNAL_H

#include <linux/types.h>
#include <linux/pid.h>
#include <linux/signal_types.h>

struct task_struct;
struct pt_regs;

#define sigmask(sig)	(1UL << ((sig) - 1))

/* Cannot be ignored or blocked. */
#define SIG_KERNEL_ONLY_MASK	(sigmask(SIGKILL) | sigmask(SIGSTOP))
#define SIG_KERNEL_STOP_MASK \
	(sigmask(SIGSTOP) | sigmask(SIGTSTP) | sigmask(SIGTTIN) | \
	 sigmask(SIGTTOU))
#define SIG_KERNEL_IGNORE_MASK \
	(sigmask(SIGCONT) | sigmask(SIGCHLD) | sigmask(SIGWINCH) | \
	 sigmask(SIGURG))
#define SYNCHRONOUS_MASK \
	(sigmask(SIGSEGV) | sigmask(SIGBUS) | sigmask(SIGILL) | \
	 sigmask(SIGTRAP) | sigmask(SIGFPE) | sigmask(SIGSYS))

#define sig_kernel_only(sig)	siginmask(sig, SIG_KERNEL_ONLY_MASK)
#define sig_kernel_stop(sig)	siginmask(sig, SIG_KERNEL_STOP_MASK)
#define sig_kernel_ignore(sig)	siginmask(sig, SIG_KERNEL_IGNORE_MASK)

static inline bool siginmask(int sig, sigset_t mask)
{
	return sig > 0 && sig < SIGRTMIN && sigmask(sig) & mask;
}

static inline bool valid_signal(unsigned long sig)
{
	return sig <= _NSIG;
}

static inline void clear_siginfo(kernel_siginfo_t *info)
{
	*info = (kernel_siginfo_t){};
}

static inline void init_sigpending(struct sigpending *sig)
{
	sig->signal = 0;
	INIT_LIST_HEAD(&sig->list);
}

/* With tasklist_lock held, unless it is the caller itself. */
int send_sig(int sig, struct task_struct *p, int priv);
int send_sig_info(int sig, struct kernel_siginfo *info, struct task_struct *p);
int group_send_sig_info(int sig, struct kernel_siginfo *info,
			struct task_struct *p, enum pid_type type);
int kill_pgrp(struct pid *pid, int sig, int priv);
int __kill_pgrp_info(int sig, struct kernel_siginfo *info, struct pid *pgrp);

/* For a fault of the running program: it cannot be put off. */
void force_sig(int sig);
void force_fatal_sig(int sig);
void force_sigsegv(int sig);
int force_sig_fault(int sig, int code, void __user *addr);
/* Before that: says what @desc was, and where, if it will kill the program. */
void show_signal(int signr, const char *desc, struct pt_regs *regs, long err);

/* Acts on what is pending; may not return. */
bool get_signal(struct ksignal *ksig);
void signal_setup_done(int failed, struct ksignal *ksig, int stepping);
void set_current_blocked(sigset_t *newset);
void recalc_sigpending(void);

/* On the way back to a program with a signal pending. */
void arch_do_signal_or_restart(struct pt_regs *regs);

/* arch: makes the program's handler run next. -EFAULT: no room for its frame. */
int setup_rt_frame(struct ksignal *ksig, struct pt_regs *regs);

#endif
