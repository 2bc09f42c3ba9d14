/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM event_cost

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE event_cost

#if !defined(_EVENT_COST_H) || defined(TRACE_HEADER_MULTI_READ)
#define _EVENT_COST_H

#include <linux/tracepoint.h>

TRACE_EVENT(event_cost_fixed,
	TP_PROTO(unsigned long ip, int value),
	TP_ARGS(ip, value),
	TP_STRUCT__entry(
		__field(unsigned long, ip)
		__field(int, value)
	),
	TP_fast_assign(
		__entry->ip = ip;
		__entry->value = value;
	),
	TP_printk("ip=%ps value=%d", (void *)__entry->ip, __entry->value)
);

TRACE_EVENT(event_cost_string,
	TP_PROTO(const char *name, int value),
	TP_ARGS(name, value),
	TP_STRUCT__entry(
		__string(name, name)
		__field(int, value)
	),
	TP_fast_assign(
		__assign_str(name, name);
		__entry->value = value;
	),
	TP_printk("name=%s value=%d", __get_str(name), __entry->value)
);

#endif

#include <trace/define_trace.h>
