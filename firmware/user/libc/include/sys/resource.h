/* SPDX-License-Identifier: GPL-2.0-only */
/* What processes have used, and who comes first. */
#ifndef SYS_RESOURCE_H
#define SYS_RESOURCE_H

#include <linux/resource.h>
#include <sys/time.h>
#include <sys/types.h>

int getpriority(int which, int who);
int setpriority(int which, int who, int value);

struct rusage {
	struct timeval ru_utime;
	struct timeval ru_stime;
	long	ru_maxrss;
	long	ru_ixrss;
	long	ru_idrss;
	long	ru_isrss;
	long	ru_minflt;
	long	ru_majflt;
	long	ru_nswap;
	long	ru_inblock;
	long	ru_oublock;
	long	ru_msgsnd;
	long	ru_msgrcv;
	long	ru_nsignals;
	long	ru_nvcsw;
	long	ru_nivcsw;
};

int getrusage(int who, struct rusage *usage);

typedef unsigned long rlim_t;

struct rlimit {
	rlim_t rlim_cur;
	rlim_t rlim_max;
};

int getrlimit(int resource, struct rlimit *limit);
int setrlimit(int resource, const struct rlimit *limit);

#endif
