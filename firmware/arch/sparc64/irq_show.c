/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc/interrupts calls the levels. */
#include <linux/hardirq.h>

void arch_show_interrupts(struct seq_file *m, int prec)
{
	SHOW_IRQ(m, prec, "NMI", nmi_irqs, "Non-maskable interrupts");
	SHOW_IRQ(m, prec, "HST", host_device_irqs, "Host device interrupts");
	SHOW_IRQ(m, prec, "BLK", block_device_irqs, "Block device interrupts");
	SHOW_IRQ(m, prec, "LOC", timer_irqs, "Local timer interrupts");
	SHOW_IRQ(m, prec, "SPU", spurious_irqs, "Spurious interrupts");
	SHOW_IRQ(m, prec, "RES", irq_resched_count, "Rescheduling interrupts");
	SHOW_IRQ(m, prec, "CAL", irq_call_count, "Function call interrupts");
}
