/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes with a signal, as user space sees it. */
#ifndef _LINUX_SIGINFO_H
#define _LINUX_SIGINFO_H

#include <linux/types.h>
#include <linux/uaccess.h>
#include <uapi/linux/signal.h>

#define SI_MAX_SIZE	128

union sigval {
	int sival_int;
	void __user *sival_ptr;
};

typedef struct kernel_siginfo {
	int si_signo;
	int si_errno;
	int si_code;
	int __pad;
	union {
		struct {		/* kill, and queued by a program */
			pid_t si_pid;
			uid_t si_uid;
			union sigval si_value;
		};
		struct {		/* timers of the process */
			int si_tid;
			int si_overrun;
			union sigval si_sigval;
		};
		struct {		/* SIGCHLD */
			pid_t __si_pid;
			uid_t __si_uid;
			int si_status;
			long si_utime;	/* in ticks */
			long si_stime;
		};
		struct {		/* faults */
			void __user *si_addr;
			int si_trapno;
		};
	};
} kernel_siginfo_t;

typedef struct siginfo {
	kernel_siginfo_t info;
	char __unused[SI_MAX_SIZE - sizeof(kernel_siginfo_t)];
} siginfo_t;

/* In place of a siginfo: from a program by kill, or from the kernel. */
#define SEND_SIG_NOINFO	((struct kernel_siginfo *)0)
#define SEND_SIG_PRIV	((struct kernel_siginfo *)1)

int copy_siginfo_to_user(siginfo_t __user *to, const kernel_siginfo_t *from);
int copy_siginfo_from_user(kernel_siginfo_t *to, const siginfo_t __user *from);

#endif
