/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls of the scheduler. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <syscall.h>

static long call(long nr, long a, long b, long c, long d)
{
	long value = arch_syscall(nr, a, b, c, d);

	if ((unsigned long)value > -4096UL) {
		errno = -value;
		return -1;
	}
	return value;
}

int sched_setattr(pid_t pid, struct sched_attr *attr, unsigned int flags)
{
	return call(SYS_sched_setattr, pid, (long)attr, flags, 0);
}

int sched_getattr(pid_t pid, struct sched_attr *attr, unsigned int size,
		  unsigned int flags)
{
	return call(SYS_sched_getattr, pid, (long)attr, size, flags);
}

int sched_get_priority_max(int policy)
{
	return call(SYS_sched_get_priority_max, policy, 0, 0, 0);
}

int sched_get_priority_min(int policy)
{
	return call(SYS_sched_get_priority_min, policy, 0, 0, 0);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	return call(SYS_sched_setaffinity, pid, size, (long)set, 0);
}

/* The kernel says how much of it there is; the rest is empty. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	long got = call(SYS_sched_getaffinity, pid, size, (long)set, 0);

	if (got < 0)
		return -1;
	memset((char *)set + got, 0, size - got);
	return 0;
}

/* The kernel's answer is 20 less nice, so that none looks like an error. */
int getpriority(int which, int who)
{
	long value = call(SYS_getpriority, which, who, 0, 0);

	return value < 0 ? -1 : 20 - value;
}

int setpriority(int which, int who, int value)
{
	return call(SYS_setpriority, which, who, value, 0);
}
