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

static void show_irq_line(struct seq_file *m, const char *name, size_t offset,
			  const char *what)
{
	int cpu;

	seq_printf(m, "%*s: ", IRQ_PREC, name);
	for_each_online_cpu(cpu)
		seq_printf(m, "%10u ",
			   *(unsigned int *)((char *)irq_stats(cpu) + offset));
	seq_printf(m, "  %s\n", what);
}

#define SHOW_IRQ(m, name, member, what) \
	show_irq_line(m, name, offsetof(irq_cpustat_t, member), what)

static int show_interrupts(struct seq_file *m, void *v)
{
	int cpu;

	seq_printf(m, "%*s", IRQ_PREC + 8, "");
	for_each_online_cpu(cpu)
		seq_printf(m, "CPU%-8d", cpu);
	seq_putc(m, '\n');
	SHOW_IRQ(m, "NMI", nmi_irqs, "Non-maskable interrupts");
	SHOW_IRQ(m, "HST", host_device_irqs, "Host device interrupts");
	SHOW_IRQ(m, "BLK", block_device_irqs, "Block device interrupts");
	SHOW_IRQ(m, "LOC", timer_irqs, "Local timer interrupts");
	SHOW_IRQ(m, "SPU", spurious_irqs, "Spurious interrupts");
	SHOW_IRQ(m, "RES", irq_resched_count, "Rescheduling interrupts");
	SHOW_IRQ(m, "CAL", irq_call_count, "Function call interrupts");
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
