/* SPDX-License-Identifier: GPL-2.0-only */
/* Non-maskable interrupts: from the watchdog's timer, or the host's. */
#include <linux/nmi.h>
#include <linux/percpu.h>

static DEFINE_PER_CPU(unsigned int, nmi_count_stat);

unsigned int nmi_count_cpu(int cpu)
{
	return per_cpu(nmi_count_stat, cpu);
}

/* One that the host sends has no reason: it is there to be traced. */
void nmi_handle(struct pt_regs *regs)
{
	this_cpu_write(nmi_count_stat, this_cpu_read(nmi_count_stat) + 1);
	watchdog_nmi_handler(regs);
}
