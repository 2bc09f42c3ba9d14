/* SPDX-License-Identifier: GPL-2.0-only */
/* What tracers in the guest share with each other and with the host. */
#ifndef _KERNEL_TRACE_H
#define _KERNEL_TRACE_H

#include <linux/cpumask.h>
#include <linux/types.h>

/* The top array. The host stores what is written to its files. */
struct trace_array {
	u64 tracing_thresh;			/* nanoseconds; 0: none */
	struct cpumask tracing_cpumask;
};

extern struct trace_array global_trace;

/* tracing_max_latency becomes @latency, in nanoseconds, if it was less. */
void update_max_latency(u64 latency);

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
