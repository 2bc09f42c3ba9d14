/* SPDX-License-Identifier: GPL-2.0-only */
/* Signal numbers and flags, as most ports have them. */
#ifndef _UAPI_ASM_SIGNAL_H
#define _UAPI_ASM_SIGNAL_H

#define _NSIG		64

#define SIGHUP		1
#define SIGINT		2
#define SIGQUIT		3
#define SIGILL		4
#define SIGTRAP		5
#define SIGABRT		6
#define SIGBUS		7
#define SIGFPE		8
#define SIGKILL		9
#define SIGUSR1		10
#define SIGSEGV		11
#define SIGUSR2		12
#define SIGPIPE		13
#define SIGALRM		14
#define SIGTERM		15
#define SIGSTKFLT	16
#define SIGCHLD		17
#define SIGCONT		18
#define SIGSTOP		19
#define SIGTSTP		20
#define SIGTTIN		21
#define SIGTTOU		22
#define SIGURG		23
#define SIGXCPU		24
#define SIGXFSZ		25
#define SIGVTALRM	26
#define SIGPROF		27
#define SIGWINCH	28
#define SIGIO		29
#define SIGPWR		30
#define SIGSYS		31
#define SIGRTMIN	32

#define SIG_BLOCK	0
#define SIG_UNBLOCK	1
#define SIG_SETMASK	2

#define SA_NOCLDSTOP	0x00000001UL
#define SA_NOCLDWAIT	0x00000002UL
#define SA_SIGINFO	0x00000004UL
#define SA_RESTORER	0x04000000UL
#define SA_ONSTACK	0x08000000UL
#define SA_RESTART	0x10000000UL
#define SA_NODEFER	0x40000000UL
#define SA_RESETHAND	0x80000000UL

/* struct sigaction says where handlers return to. */
#define __ARCH_HAS_SA_RESTORER

#define MINSIGSTKSZ	2048

#endif
