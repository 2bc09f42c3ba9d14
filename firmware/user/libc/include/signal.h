/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals: those that all ports number alike, abi.h has the rest. */
#ifndef SIGNAL_H
#define SIGNAL_H

#include <abi.h>
#include <sys/types.h>

#define SIGHUP		1
#define SIGINT		2
#define SIGQUIT		3
#define SIGILL		4
#define SIGTRAP		5
#define SIGABRT		6
#define SIGFPE		8
#define SIGKILL		9
#define SIGSEGV		11
#define SIGPIPE		13
#define SIGALRM		14
#define SIGTERM		15

#define SIGNAL_MAX	64

typedef unsigned long sigset_t;
typedef void (*sighandler_t)(int);

#define SIG_DFL		((sighandler_t)0)
#define SIG_IGN		((sighandler_t)1)
#define SIG_ERR		((sighandler_t)-1)

/* As the kernel has it; libc sees to the restorer. */
struct sigaction {
	sighandler_t sa_handler;
	unsigned long sa_flags;
	void (*sa_restorer)(void);
	sigset_t sa_mask;
};

static inline int sigemptyset(sigset_t *set)
{
	*set = 0;
	return 0;
}

static inline int sigfillset(sigset_t *set)
{
	*set = -1UL;
	return 0;
}

static inline int sigaddset(sigset_t *set, int signal)
{
	*set |= 1UL << (signal - 1);
	return 0;
}

static inline int sigdelset(sigset_t *set, int signal)
{
	*set &= ~(1UL << (signal - 1));
	return 0;
}

static inline int sigismember(const sigset_t *set, int signal)
{
	return *set >> (signal - 1) & 1;
}

int sigaction(int number, const struct sigaction *action,
	      struct sigaction *old);
int sigprocmask(int how, const sigset_t *set, sigset_t *old);
sighandler_t signal(int number, sighandler_t handler);

/* The number of a name (TERM, SIGTERM) or number; -1: there is no such. */
int signal_number(const char *name);
/* Its name without SIG; NULL if it has none. */
const char *signal_name(int number);

int kill(pid_t pid, int signal);

#endif
