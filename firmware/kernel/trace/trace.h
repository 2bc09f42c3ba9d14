/* SPDX-License-Identifier: GPL-2.0-only */
/* What tracers in the guest share with the host. */
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

#endif
