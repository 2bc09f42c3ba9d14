/* SPDX-License-Identifier: GPL-2.0-only */
/* How often each kind of interrupt has come, on each CPU. */
#ifndef _LINUX_HARDIRQ_H
#define _LINUX_HARDIRQ_H

#include <linux/percpu.h>
#include <linux/types.h>

struct seq_file;

typedef struct {
	unsigned int	nmi_irqs;
	unsigned int	host_device_irqs;
	unsigned int	block_device_irqs;
	unsigned int	timer_irqs;
	unsigned int	irq_resched_count;
	unsigned int	irq_call_count;
	unsigned int	spurious_irqs;
} irq_cpustat_t;

DECLARE_PER_CPU(irq_cpustat_t, irq_stat);

/* In a handler. */
#define inc_irq_stat(member)	(this_cpu_ptr(&irq_stat)->member++)
#define irq_stats(cpu)		(per_cpu_ptr(&irq_stat, cpu))

#endif
