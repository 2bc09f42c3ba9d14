/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Latency tracers: how long interrupts or preemption were off. Measuring is the
 * host's; it hears here of what happens. None of it is traced.
 */
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include "trace.h"

notrace void tracer_hardirqs_off(unsigned long a0, unsigned long a1)
{
	latency_irqs_off(a0, a1);
}

notrace void tracer_hardirqs_on(unsigned long a0, unsigned long a1)
{
	latency_irqs_on(a0, a1);
}

notrace void tracer_preempt_off(unsigned long a0, unsigned long a1)
{
	latency_preempt_off(a0, a1);
}

notrace void tracer_preempt_on(unsigned long a0, unsigned long a1)
{
	latency_preempt_on(a0, a1);
}

notrace void stop_critical_timings(void)
{
	latency_stop(CALLER_ADDR0, CALLER_ADDR1);
}

notrace void start_critical_timings(void)
{
	latency_start(CALLER_ADDR0, CALLER_ADDR1);
}
