/* SPDX-License-Identifier: GPL-2.0-only */
/* Non-maskable interrupts: from the watchdog's timer, or the host's. */
#include <linux/hardirq.h>
#include <linux/nmi.h>

/* One that the host sends has no reason: it is there to be traced. */
void nmi_handle(struct pt_regs *regs)
{
	inc_irq_stat(nmi_irqs);
	watchdog_nmi_handler(regs);
}
