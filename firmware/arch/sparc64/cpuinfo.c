/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/cpuinfo. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <asm/processor.h>
#include <emu/boot_params.h>

void arch_show_cpuinfo(struct seq_file *m)
{
	int cpu, online = 0;

	for_each_online_cpu(cpu)
		online++;
	seq_puts(m, "cpu\t\t: emu SPARC V9\ntype\t\t: sun4u\n");
	seq_printf(m, "ncpus probed\t: %u\nncpus active\t: %d\n", nr_cpu_ids,
		   online);
	for_each_online_cpu(cpu)
		seq_printf(m, "Cpu%dClkTck\t: %016lx\n", cpu,
			   (unsigned long)boot_params.tsc_hz);
	seq_puts(m, "MMU Type\t: Spitfire\nState:\n");
	for_each_online_cpu(cpu)
		seq_printf(m, "CPU%d:\t\tonline\n", cpu);
}
