/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hooks of interrupts and preemption: the events of them, and the latency
 * tracers. None of it is traced.
 */
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include "trace.h"

#define CREATE_TRACE_POINTS
#include <trace/events/preemptirq.h>

/* While one is on, the hooks are called; off, each is a nop. */
DEFINE_STATIC_KEY_FALSE(trace_irqflags_key);
DEFINE_STATIC_KEY_FALSE(trace_preempt_key);

/*
 * Interrupts are off and somebody was told: what turns them off again, as an
 * exception does or the entry from a program, is not told again. With the key
 * off it does not follow; the first hooks after that put it right.
 */
static DEFINE_PER_CPU(bool, tracing_irq_cpu);

notrace void trace_hardirqs_on(void)
{
	if (!this_cpu_read(tracing_irq_cpu))
		return;
	if (!in_nmi())
		trace_irq_enable(CALLER_ADDR0, CALLER_ADDR1);
	tracer_hardirqs_on(CALLER_ADDR0, CALLER_ADDR1);
	this_cpu_write(tracing_irq_cpu, false);
}

notrace void trace_hardirqs_off(void)
{
	if (this_cpu_read(tracing_irq_cpu))
		return;
	this_cpu_write(tracing_irq_cpu, true);
	tracer_hardirqs_off(CALLER_ADDR0, CALLER_ADDR1);
	if (!in_nmi())
		trace_irq_disable(CALLER_ADDR0, CALLER_ADDR1);
}

notrace void trace_preempt_sub(int val, unsigned long a0, unsigned long a1)
{
	if (preempt_count() == val) {
		if (!in_nmi())
			trace_preempt_enable(a0, a1);
		tracer_preempt_on(a0, a1);
	}
	__preempt_count_sub(val);
}

notrace void trace_preempt_off(unsigned long a0, unsigned long a1)
{
	if (!in_nmi())
		trace_preempt_disable(a0, a1);
	tracer_preempt_off(a0, a1);
}
