/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of signals, queues of them, and what is done about each. */
#ifndef _LINUX_SIGNAL_TYPES_H
#define _LINUX_SIGNAL_TYPES_H

#include <linux/list.h>
#include <linux/siginfo.h>
#include <asm/signal.h>

typedef unsigned long sigset_t;		/* one bit per signal, from bit 0 */

struct k_itimer;

struct sigqueue {
	struct list_head list;
	struct k_itimer *timer;		/* whose it stays, if not NULL */
	kernel_siginfo_t info;
};

struct sigpending {
	struct list_head list;
	sigset_t signal;
};

/* As programs have it. */
struct sigaction {
	unsigned long sa_handler;
	unsigned long sa_flags;
#ifdef __ARCH_HAS_SA_RESTORER
	unsigned long sa_restorer;
#endif
	unsigned long sa_mask;
};

struct k_sigaction {
	struct sigaction sa;
#ifdef __ARCH_HAS_KA_RESTORER
	unsigned long ka_restorer;
#endif
};

struct ksignal {
	struct k_sigaction ka;
	kernel_siginfo_t info;
	int sig;
};

#define SIG_DFL		0UL
#define SIG_IGN		1UL

typedef struct sigaltstack {
	void __user *ss_sp;
	int ss_flags;
	size_t ss_size;
} stack_t;

#endif
