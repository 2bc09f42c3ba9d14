/* SPDX-License-Identifier: GPL-2.0-only */
/* Signal numbers and flags, as SPARC has them. */
#ifndef _UAPI_ASM_SIGNAL_H
#define _UAPI_ASM_SIGNAL_H

#define _NSIG		64

#define SIGHUP		1
#define SIGINT		2
#define SIGQUIT		3
#define SIGILL		4
#define SIGTRAP		5
#define SIGABRT		6
#define SIGEMT		7
#define SIGFPE		8
#define SIGKILL		9
#define SIGBUS		10
#define SIGSEGV		11
#define SIGSYS		12
#define SIGPIPE		13
#define SIGALRM		14
#define SIGTERM		15
#define SIGURG		16
#define SIGSTOP		17
#define SIGTSTP		18
#define SIGCONT		19
#define SIGCHLD		20
#define SIGTTIN		21
#define SIGTTOU		22
#define SIGIO		23
#define SIGXCPU		24
#define SIGXFSZ		25
#define SIGVTALRM	26
#define SIGPROF		27
#define SIGWINCH	28
#define SIGPWR		29
#define SIGUSR1		30
#define SIGUSR2		31
#define SIGRTMIN	32

#define SIG_BLOCK	1
#define SIG_UNBLOCK	2
#define SIG_SETMASK	4

#define SA_ONSTACK	0x00000001UL
#define SA_RESTART	0x00000002UL
#define SA_RESETHAND	0x00000004UL
#define SA_NOCLDSTOP	0x00000008UL
#define SA_NODEFER	0x00000020UL
#define SA_NOCLDWAIT	0x00000100UL
#define SA_SIGINFO	0x00000200UL

/* struct sigaction says where handlers return to. */
#define __ARCH_HAS_SA_RESTORER

#define MINSIGSTKSZ	4096

#endif
