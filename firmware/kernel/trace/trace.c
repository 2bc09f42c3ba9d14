/* SPDX-License-Identifier: GPL-2.0-only */
/* The top array, as tracers in the guest see it. */
#include <emu/hostcall.h>
#include <emu/layout.h>

#include "trace.h"

LAYOUT(trace_array, tracing_thresh);
LAYOUT(trace_array, tracing_cpumask);

struct trace_array global_trace = {
	.tracing_cpumask = { .bits = { [0 ... NR_CPUS / 64 - 1] = ~0UL } },
};

notrace void update_max_latency(u64 latency)
{
	hostcall1(HC_TRACING_MAX_LATENCY, latency);
}
