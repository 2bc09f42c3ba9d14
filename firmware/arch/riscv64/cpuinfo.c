/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/cpuinfo. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <asm/processor.h>

void arch_show_cpuinfo(struct seq_file *m)
{
	int cpu;

	for_each_online_cpu(cpu) {
		seq_printf(m, "processor\t: %d\nhart\t\t: %d\n", cpu, cpu);
		seq_puts(m, "isa\t\t: rv64imafdc\nmmu\t\t: sv39\nuarch\t\t: emu\n\n");
	}
}
