/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process used, and what it may use. */
#ifndef _LINUX_RESOURCE_H
#define _LINUX_RESOURCE_H

#include <linux/jiffies.h>
#include <linux/time.h>
#include <uapi/linux/resource.h>

struct rusage {
	struct __kernel_timeval ru_utime;
	struct __kernel_timeval ru_stime;
	long ru_maxrss;			/* in KiB */
	long ru_ixrss, ru_idrss, ru_isrss;
	long ru_minflt, ru_majflt, ru_nswap;
	long ru_inblock, ru_oublock;
	long ru_msgsnd, ru_msgrcv, ru_nsignals;
	long ru_nvcsw, ru_nivcsw;	/* slept, was preempted */
};

struct rlimit {
	unsigned long rlim_cur;
	unsigned long rlim_max;
};

#endif
