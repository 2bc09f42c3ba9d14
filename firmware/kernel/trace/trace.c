/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace arrays, as tracers in the guest see them. */
#include <emu/hostcall.h>
#include <emu/layout.h>

#include "trace.h"

LAYOUT(trace_array, tracing_thresh);
LAYOUT(trace_array, tracing_cpumask);

struct trace_array global_trace = {
	.tracing_cpumask = { .bits = { [0 ... NR_CPUS / 64 - 1] = ~0UL } },
};

notrace void update_max_latency(enum trace_type type, u64 latency)
{
	hostcall2(HC_TRACING_MAX_LATENCY, type, latency);
}

notrace void tracer_tracing_off(enum trace_type type)
{
	hostcall1(HC_TRACER_OFF, type);
}
