/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes with a signal, as user space sees it. */
#ifndef _LINUX_SIGINFO_H
#define _LINUX_SIGINFO_H

#include <linux/types.h>
#include <linux/uaccess.h>

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

#define SI_USER		0
#define SI_KERNEL	0x80
#define SI_QUEUE	-1
#define SI_TIMER	-2
#define SI_TKILL	-6

#define ILL_ILLOPC	1
#define ILL_ILLOPN	2
#define ILL_ILLTRP	4
#define ILL_PRVOPC	5
#define FPE_INTDIV	1
#define FPE_INTOVF	2
#define FPE_FLTDIV	3
#define FPE_FLTUNK	14
#define SEGV_MAPERR	1
#define SEGV_ACCERR	2
#define BUS_ADRALN	1
#define BUS_ADRERR	2
#define BUS_OBJERR	3
#define TRAP_BRKPT	1
#define TRAP_TRACE	2
#define EMT_TAGOVF	1
#define CLD_EXITED	1
#define CLD_KILLED	2
#define CLD_DUMPED	3
#define CLD_STOPPED	5
#define CLD_CONTINUED	6

/* In place of a siginfo: from a program by kill, or from the kernel. */
#define SEND_SIG_NOINFO	((struct kernel_siginfo *)0)
#define SEND_SIG_PRIV	((struct kernel_siginfo *)1)

int copy_siginfo_to_user(siginfo_t __user *to, const kernel_siginfo_t *from);
int copy_siginfo_from_user(kernel_siginfo_t *to, const siginfo_t __user *from);

#endif
