/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/cpuinfo. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <asm/processor.h>
#include <emu/boot_params.h>

void arch_show_cpuinfo(struct seq_file *m)
{
	unsigned long khz = boot_params.tsc_hz / 1000;
	int cpu;

	for_each_online_cpu(cpu) {
		seq_printf(m, "processor\t: %d\n", cpu);
		seq_puts(m, "vendor_id\t: emu\nmodel name\t: emu x86-64\n");
		seq_printf(m, "cpu MHz\t\t: %lu.%03lu\n", khz / 1000,
			   khz % 1000);
		seq_puts(m, "flags\t\t: fpu pse tsc msr pae pge sse sse2 "
			    "syscall nx lm\n");
		seq_puts(m, "address sizes\t: 40 bits physical, 48 bits "
			    "virtual\n\n");
	}
}
