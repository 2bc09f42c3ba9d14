/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM irq_vectors

#if !defined(_TRACE_IRQ_VECTORS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IRQ_VECTORS_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(x86_irq_vector,
	TP_PROTO(int vector),
	TP_ARGS(vector),
	TP_STRUCT__entry(
		__field(int, vector)
	),
	TP_fast_assign(
		__entry->vector = vector;
	),
	TP_printk("vector=%d", __entry->vector)
);

#define DEFINE_IRQ_VECTOR_EVENT(name)					\
DEFINE_EVENT(x86_irq_vector, name##_entry,				\
	TP_PROTO(int vector), TP_ARGS(vector));				\
DEFINE_EVENT(x86_irq_vector, name##_exit,				\
	TP_PROTO(int vector), TP_ARGS(vector));

DEFINE_IRQ_VECTOR_EVENT(local_timer)
DEFINE_IRQ_VECTOR_EVENT(reschedule)
DEFINE_IRQ_VECTOR_EVENT(call_function)

#undef DEFINE_IRQ_VECTOR_EVENT

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH asm/trace
#include <trace/define_trace.h>
