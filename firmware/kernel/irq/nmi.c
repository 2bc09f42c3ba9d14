/* SPDX-License-Identifier: GPL-2.0-only */
/* Non-maskable interrupts: from the watchdog's timer, or the host's. */
#include <linux/hardirq.h>
#include <linux/nmi.h>
#include <linux/sched.h>

#define CREATE_TRACE_POINTS
#include <trace/events/nmi.h>

/* One that the host sends has no reason: it is there to be traced. */
void nmi_handle(struct pt_regs *regs)
{
	u64 start = trace_nmi_handler_enabled() ? sched_clock() : 0;
	bool handled;

	inc_irq_stat(nmi_irqs);
	handled = watchdog_nmi_handler(regs);
	if (start)
		trace_nmi_handler(watchdog_nmi_handler, sched_clock() - start,
				  handled);
}
