/* SPDX-License-Identifier: GPL-2.0-only */
/* Signal numbers and structures, as SPARC has them. */
#ifndef _ASM_SIGNAL_H
#define _ASM_SIGNAL_H

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
#define SIGWINCH	28
#define SIGUSR1		30
#define SIGUSR2		31

#define SIG_BLOCK	1
#define SIG_UNBLOCK	2
#define SIG_SETMASK	4

#define SIG_DFL		0UL
#define SIG_IGN		1UL

struct sigaction {
	unsigned long sa_handler;
	unsigned long sa_flags;
	unsigned long sa_restorer;
	unsigned long sa_mask;
};

#endif
