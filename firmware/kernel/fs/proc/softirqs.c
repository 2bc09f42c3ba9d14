/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/softirqs: how often each CPU has run each. */
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>

#include "internal.h"

static int show_softirqs(struct seq_file *m, void *v)
{
	int cpu;

	seq_puts(m, "                    ");
	for_each_possible_cpu(cpu)
		seq_printf(m, "CPU%-8d", cpu);
	seq_putc(m, '\n');
	for (unsigned int nr = 0; nr < NR_SOFTIRQS; nr++) {
		seq_printf(m, "%12s:", softirq_to_name[nr]);
		for_each_possible_cpu(cpu)
			seq_printf(m, " %10u", kstat_softirqs_cpu(nr, cpu));
		seq_putc(m, '\n');
	}
	return 0;
}

static int __init proc_softirqs_init(void)
{
	proc_create_single("softirqs", 0, NULL, show_softirqs);
	return 0;
}
fs_initcall(proc_softirqs_init);
