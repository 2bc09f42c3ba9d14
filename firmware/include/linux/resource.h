/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process used, and what it may use. */
#ifndef _LINUX_RESOURCE_H
#define _LINUX_RESOURCE_H

#include <linux/jiffies.h>
#include <linux/time.h>
#include <uapi/linux/resource.h>

struct rusage {
	struct __kernel_old_timeval ru_utime;
	struct __kernel_old_timeval ru_stime;
	long ru_maxrss;			/* in KiB */
	long ru_ixrss, ru_idrss, ru_isrss;
	long ru_minflt, ru_majflt, ru_nswap;
	long ru_inblock, ru_oublock;
	long ru_msgsnd, ru_msgrcv, ru_nsignals;
	long ru_nvcsw, ru_nivcsw;	/* slept, was preempted */
};

/* What threads have used. */
struct task_usage {
	u64 utime, stime;		/* in ticks */
	u64 sum_exec_runtime;		/* in ns */
	unsigned long nvcsw, nivcsw;
	unsigned long min_flt, maj_flt;
	unsigned long maxrss;		/* in pages, of the largest */
};

struct task_struct;

/* kernel/task/rusage.c */
void add_usage(struct task_usage *sum, const struct task_usage *usage);
void add_task_usage(struct task_usage *sum, struct task_struct *t);
/* With siglock or tasklist_lock held. */
void thread_group_usage(struct task_struct *p, struct task_usage *usage);
void fill_rusage(struct rusage *r, const struct task_usage *usage);

struct rlimit {
	unsigned long rlim_cur;
	unsigned long rlim_max;
};

/* With long of 64 bits the same. */
struct rlimit64 {
	u64 rlim_cur;
	u64 rlim_max;
};

#endif
