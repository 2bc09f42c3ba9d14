/* SPDX-License-Identifier: GPL-2.0-only */
/* What tracers in the guest share with each other and with the host. */
#ifndef _KERNEL_TRACE_H
#define _KERNEL_TRACE_H

#include <linux/cpumask.h>
#include <linux/trace_entries.h>
#include <linux/types.h>

/* What the host stores for tracers. */
struct trace_array {
	u64 tracing_thresh;			/* nanoseconds; 0: none */
	struct cpumask tracing_cpumask;		/* of the array that has hwlat */
};

extern struct trace_array global_trace;

/*
 * A tracer may be that of several arrays: of all that take its entries, which
 * are of @type.
 */

/* tracing_max_latency becomes @latency, in nanoseconds, if it was less. */
void update_max_latency(enum trace_type type, u64 latency);
/* What trace_printk() would write, and tracing_off() do. */
void tracer_printk(enum trace_type type, unsigned long ip,
		   const char *fmt, ...) __printf(3, 4);
void tracer_tracing_off(enum trace_type type);

/* The work of ktraced: threads of a tracer begin and end; 0 or -errno. */
struct trace_work;

long hwlat_tracer_start(const struct trace_work *work);
long hwlat_tracer_stop(const struct trace_work *work);
long osnoise_workload_start(const struct trace_work *work);
long osnoise_workload_stop(const struct trace_work *work);

/* What the hooks of interrupts and preemption tell the latency tracers. */

/* @a0: the place; @a1: where it was called from, 0 if that is not known. */
void tracer_hardirqs_off(unsigned long a0, unsigned long a1);
void tracer_hardirqs_on(unsigned long a0, unsigned long a1);
void tracer_preempt_off(unsigned long a0, unsigned long a1);
void tracer_preempt_on(unsigned long a0, unsigned long a1);

/* In .ftrace.text: the host acts when a block begins there. */
void latency_irqs_off(unsigned long ip, unsigned long parent_ip);
void latency_irqs_on(unsigned long ip, unsigned long parent_ip);
void latency_preempt_off(unsigned long ip, unsigned long parent_ip);
void latency_preempt_on(unsigned long ip, unsigned long parent_ip);
void latency_stop(unsigned long ip, unsigned long parent_ip);
void latency_start(unsigned long ip, unsigned long parent_ip);

#endif
