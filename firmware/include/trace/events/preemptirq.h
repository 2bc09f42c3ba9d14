/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM preemptirq

#if !defined(_TRACE_PREEMPTIRQ_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_PREEMPTIRQ_H

#include <linux/irqflags.h>
#include <linux/tracepoint.h>
#include <asm/sections.h>

DECLARE_EVENT_CLASS(preemptirq_template,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip),
	TP_STRUCT__entry(
		__field(s32, caller_offs)
		__field(s32, parent_offs)
	),
	TP_fast_assign(
		__entry->caller_offs = (s32)(ip - (unsigned long)_stext);
		__entry->parent_offs = (s32)(parent_ip - (unsigned long)_stext);
	),
	TP_printk("caller=%pS parent=%pS",
		(void *)((unsigned long)(_stext) + __entry->caller_offs),
		(void *)((unsigned long)(_stext) + __entry->parent_offs))
);

DEFINE_EVENT_HOOK(preemptirq_template, irq_disable,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip),
	trace_irqflags_key
);

DEFINE_EVENT_HOOK(preemptirq_template, irq_enable,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip),
	trace_irqflags_key
);

DEFINE_EVENT_HOOK(preemptirq_template, preempt_disable,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip),
	trace_preempt_key
);

DEFINE_EVENT_HOOK(preemptirq_template, preempt_enable,
	TP_PROTO(unsigned long ip, unsigned long parent_ip),
	TP_ARGS(ip, parent_ip),
	trace_preempt_key
);

#endif

#include <trace/define_trace.h>
