/* SPDX-License-Identifier: GPL-2.0-only */
/* Scheduling: classes, and where a task may run; threads as the kernel makes them. */
#ifndef SCHED_H
#define SCHED_H

#include <linux/sched.h>
#include <stdint.h>
#include <sys/types.h>

#define SCHED_OTHER	SCHED_NORMAL

struct sched_param {
	int sched_priority;
};

struct sched_attr {
	uint32_t size;
	uint32_t sched_policy;
	uint64_t sched_flags;
	int32_t sched_nice;
	uint32_t sched_priority;
	uint64_t sched_runtime;
	uint64_t sched_deadline;
	uint64_t sched_period;
};

#define CPU_SETSIZE	1024
#define CPU_BITS	(8 * sizeof(unsigned long))

typedef struct {
	unsigned long bits[CPU_SETSIZE / CPU_BITS];
} cpu_set_t;

#define CPU_ZERO(set)		((void)(*(set) = (cpu_set_t){ { 0 } }))
#define CPU_SET(cpu, set) \
	((void)((set)->bits[(cpu) / CPU_BITS] |= 1UL << (cpu) % CPU_BITS))
#define CPU_ISSET(cpu, set) \
	((set)->bits[(cpu) / CPU_BITS] >> (cpu) % CPU_BITS & 1)

int sched_setattr(pid_t pid, struct sched_attr *attr, unsigned int flags);
int sched_getattr(pid_t pid, struct sched_attr *attr, unsigned int size,
		  unsigned int flags);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int sched_yield(void);

/*
 * arch: has the new task call a function, and end with what it returns. Returns
 * its number, or -errno.
 */
long __clone(int (*function)(void *), void *stack, unsigned long flags,
	     void *argument, int *parent_tid, void *tls, int *child_tid);

#endif
