/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/interrupts and /proc/softirqs: what each CPU has really taken, and served. */
#include <linux/cpumask.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

/* The width of the first column. */
#define IRQ_PREC	3

DEFINE_PER_CPU(irq_cpustat_t, irq_stat);

void show_irq_line(struct seq_file *m, int prec, const char *name,
		   size_t offset, const char *what)
{
	int cpu;

	seq_printf(m, "%*s: ", prec, name);
	for_each_online_cpu(cpu)
		seq_printf(m, "%10u ",
			   *(unsigned int *)((char *)irq_stats(cpu) + offset));
	seq_printf(m, "  %s\n", what);
}

static int show_interrupts(struct seq_file *m, void *v)
{
	int cpu;

	seq_printf(m, "%*s", IRQ_PREC + 8, "");
	for_each_online_cpu(cpu)
		seq_printf(m, "CPU%-8d", cpu);
	seq_putc(m, '\n');
	arch_show_interrupts(m, IRQ_PREC);
	return 0;
}

static int show_softirqs(struct seq_file *m, void *v)
{
	int nr, cpu;

	seq_puts(m, "                    ");
	for_each_possible_cpu(cpu)
		seq_printf(m, "CPU%-8d", cpu);
	seq_putc(m, '\n');
	for (nr = 0; nr < NR_SOFTIRQS; nr++) {
		seq_printf(m, "%12s:", softirq_to_name[nr]);
		for_each_possible_cpu(cpu)
			seq_printf(m, " %10u", kstat_softirqs_cpu(nr, cpu));
		seq_putc(m, '\n');
	}
	return 0;
}

static int __init proc_irq_init(void)
{
	proc_create_single("interrupts", 0, NULL, show_interrupts);
	proc_create_single("softirqs", 0, NULL, show_softirqs);
	return 0;
}
fs_initcall(proc_irq_init);
