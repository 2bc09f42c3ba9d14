/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters about tracing. The host has obeyed them before the first
 * instruction; they only have to be kept from init.
 */
#include <linux/init.h>

static int __init obeyed_by_host(char *str)
{
	return 1;
}

#define HOST_PARAM(name, text)						\
	static const struct obs_kernel_param __setup_##name		\
	__section(".init.setup") __used __aligned(8) =			\
		{ .str = (text), .setup_func = obeyed_by_host }

HOST_PARAM(ftrace, "ftrace=");
HOST_PARAM(ftrace_filter, "ftrace_filter=");
HOST_PARAM(ftrace_notrace, "ftrace_notrace=");
HOST_PARAM(ftrace_graph_filter, "ftrace_graph_filter=");
HOST_PARAM(ftrace_graph_notrace, "ftrace_graph_notrace=");
HOST_PARAM(ftrace_graph_max_depth, "ftrace_graph_max_depth=");
HOST_PARAM(trace_event, "trace_event=");
HOST_PARAM(trace_options, "trace_options=");
HOST_PARAM(trace_clock, "trace_clock=");
HOST_PARAM(trace_buf_size, "trace_buf_size=");
HOST_PARAM(tracing_thresh, "tracing_thresh=");
HOST_PARAM(alloc_snapshot, "alloc_snapshot");
HOST_PARAM(tp_printk, "tp_printk");
HOST_PARAM(tp_printk_is, "tp_printk=");
HOST_PARAM(kprobe_event, "kprobe_event=");
HOST_PARAM(stacktrace, "stacktrace");
HOST_PARAM(stacktrace_filter, "stacktrace_filter=");
