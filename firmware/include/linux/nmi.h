/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts that cannot be masked, and the watchdog that uses them. */
#ifndef _LINUX_NMI_H
#define _LINUX_NMI_H

#include <linux/percpu.h>
#include <linux/preempt.h>

struct pt_regs;

/* Around an NMI's handler, by the code that must not be traced. */
#define nmi_enter() \
	do { __preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET); barrier(); } \
	while (0)
#define nmi_exit() \
	do { barrier(); __preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET); } \
	while (0)

/* What came, and what is to be done about it. No locks may be taken. */
void nmi_handle(struct pt_regs *regs);

/* The watchdog's part: returns whether it was its timer that had run out. */
bool watchdog_nmi_handler(struct pt_regs *regs);

DECLARE_PER_CPU(bool, watchdog_nmi_touch);

/* This CPU is not stuck, even if it has no ticks. */
static inline void touch_nmi_watchdog(void)
{
	this_cpu_write(watchdog_nmi_touch, true);
}

#endif
