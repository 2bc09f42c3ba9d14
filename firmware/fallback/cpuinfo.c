/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/cpuinfo: which CPUs there are. */
#include <linux/cpumask.h>
#include <linux/seq_file.h>
#include <asm/processor.h>
#include "fallback.h"

__fallback void arch_show_cpuinfo(struct seq_file *m)
{
	int cpu;

	for_each_online_cpu(cpu)
		seq_printf(m, "processor\t: %d\n", cpu);
}
