/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM printk

#if !defined(_TRACE_PRINTK_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_PRINTK_H

#include <linux/tracepoint.h>
#include <linux/types.h>

TRACE_EVENT(console,
	TP_PROTO(const char *text, size_t len),
	TP_ARGS(text, len),
	TP_STRUCT__entry(
		__string_len(msg, text, len)
	),
	TP_fast_assign(
		__assign_str_len(msg, text, len);
	),
	TP_printk("%s", __get_str(msg))
);

#endif

#include <trace/define_trace.h>
