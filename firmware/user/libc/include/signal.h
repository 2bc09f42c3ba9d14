/* SPDX-License-Identifier: GPL-2.0-only */
/* Sending, handling and waiting for signals. */
#ifndef SIGNAL_H
#define SIGNAL_H

#include <linux/signal.h>
#include <stddef.h>
#include <sys/types.h>

#define SIGRTMAX	_NSIG

typedef unsigned long sigset_t;

union sigval {
	int	sival_int;
	void	*sival_ptr;
};

typedef struct {
	int	si_signo;
	int	si_errno;
	int	si_code;
	int	__pad;
	union {
		struct {
			pid_t		si_pid;
			uid_t		si_uid;
			union {
				union sigval	si_value;
				int		si_status;
			};
		};
		void	*si_addr;
		char	__rest[112];
	};
} siginfo_t;

/* As the kernel has it. */
struct sigaction {
	union {
		void	(*sa_handler)(int signal);
		void	(*sa_sigaction)(int signal, siginfo_t *info,
					void *context);
	};
	unsigned long	sa_flags;
#ifdef __ARCH_HAS_SA_RESTORER
	void		(*sa_restorer)(void);
#endif
	sigset_t	sa_mask;
};

typedef struct {
	void	*ss_sp;
	int	ss_flags;
	size_t	ss_size;
} stack_t;

typedef void (*sighandler_t)(int signal);

#define SIG_DFL		((sighandler_t)0)
#define SIG_IGN		((sighandler_t)1)
#define SIG_ERR		((sighandler_t)-1)

struct timespec;

int kill(pid_t pid, int signal);
int tgkill(pid_t process, pid_t thread, int signal);
int raise(int signal);
int sigqueue(pid_t pid, int signal, union sigval value);
int sigaction(int signal, const struct sigaction *new, struct sigaction *old);
/* Calls that it interrupts go on. */
sighandler_t signal(int signal, sighandler_t handler);
int sigprocmask(int how, const sigset_t *new, sigset_t *old);
int sigpending(sigset_t *set);
int sigsuspend(const sigset_t *set);
int sigtimedwait(const sigset_t *set, siginfo_t *info,
		 const struct timespec *timeout);
int sigaltstack(const stack_t *new, stack_t *old);

int sigemptyset(sigset_t *set);
int sigaddset(sigset_t *set, int signal);
int sigismember(const sigset_t *set, int signal);

#endif
