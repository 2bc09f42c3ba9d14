/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals: handlers, masks, and waiting for them. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <syscall.h>
#include <unistd.h>

#ifdef __ARCH_HAS_SA_RESTORER
/* arch: makes the system call that ends a handler. */
void __sigreturn(void);
#else
#define __sigreturn	NULL
#endif

static long result(long value)
{
	if ((unsigned long)value > -4096UL) {
		errno = -value;
		return -1;
	}
	return value;
}

int sigaction(int signal, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction act;

	if (new) {
		act = *new;
#ifdef __ARCH_HAS_SA_RESTORER
		act.sa_restorer = __sigreturn;
#endif
#ifdef SA_RESTORER
		act.sa_flags |= SA_RESTORER;
#endif
	}
	return result(arch_sigaction(signal, new ? &act : NULL, old,
				     __sigreturn));
}

sighandler_t signal(int signal, sighandler_t handler)
{
	struct sigaction new = { .sa_flags = SA_RESTART }, old;

	new.sa_handler = handler;
	return sigaction(signal, &new, &old) < 0 ? SIG_ERR : old.sa_handler;
}

int tgkill(pid_t process, pid_t thread, int signal)
{
	return result(arch_syscall(SYS_tgkill, process, thread, signal, 0));
}

int raise(int signal)
{
	return tgkill(getpid(), gettid(), signal);
}

int sigqueue(pid_t pid, int signal, union sigval value)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = signal;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_value = value;
	return result(arch_syscall(SYS_rt_sigqueueinfo, pid, signal,
				   (long)&info, 0));
}

int sigprocmask(int how, const sigset_t *new, sigset_t *old)
{
	return result(arch_syscall(SYS_rt_sigprocmask, how, (long)new,
				   (long)old, sizeof(*new)));
}

int sigpending(sigset_t *set)
{
	return result(arch_syscall(SYS_rt_sigpending, (long)set, sizeof(*set),
				   0, 0));
}

int sigsuspend(const sigset_t *set)
{
	return result(arch_syscall(SYS_rt_sigsuspend, (long)set, sizeof(*set),
				   0, 0));
}

int sigtimedwait(const sigset_t *set, siginfo_t *info,
		 const struct timespec *timeout)
{
	return result(arch_syscall(SYS_rt_sigtimedwait, (long)set, (long)info,
				   (long)timeout, sizeof(*set)));
}

int sigaltstack(const stack_t *new, stack_t *old)
{
	return result(arch_syscall(SYS_sigaltstack, (long)new, (long)old, 0,
				   0));
}

int sigemptyset(sigset_t *set)
{
	*set = 0;
	return 0;
}

static int change(sigset_t *set, int signal, int member)
{
	sigset_t bit;

	if (signal < 1 || signal > SIGRTMAX) {
		errno = EINVAL;
		return -1;
	}
	bit = 1UL << (signal - 1);
	*set = member ? *set | bit : *set & ~bit;
	return 0;
}

int sigaddset(sigset_t *set, int signal)
{
	return change(set, signal, 1);
}

int sigismember(const sigset_t *set, int signal)
{
	return *set >> (signal - 1) & 1;
}
