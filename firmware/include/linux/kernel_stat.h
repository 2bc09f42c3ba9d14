/* SPDX-License-Identifier: GPL-2.0-only */
/* What has happened since boot, in numbers. */
#ifndef _LINUX_KERNEL_STAT_H
#define _LINUX_KERNEL_STAT_H

#include <linux/percpu.h>
#include <linux/types.h>

/* Ticks that found the CPU at something. */
struct kernel_cpustat {
	u64	user;
	u64	nice;
	u64	system;
	u64	irq;
	u64	softirq;
};

DECLARE_PER_CPU(struct kernel_cpustat, kernel_cpustat);

#define kcpustat_cpu_ptr(cpu)	per_cpu_ptr(&kernel_cpustat, cpu)
#define kcpustat_this_cpu	this_cpu_ptr(&kernel_cpustat)

unsigned long nr_context_switches(void);
unsigned int nr_running(void);
extern unsigned long total_forks;	/* under tasklist_lock, as is ... */
extern int nr_threads;			/* tasks, but for idle ones */

#endif
