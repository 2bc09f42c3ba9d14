/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM irq

#if !defined(_TRACE_IRQ_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IRQ_H

#include <linux/interrupt.h>
#include <linux/tracepoint.h>

TRACE_EVENT(irq_handler_entry,
	TP_PROTO(int irq, const struct irqaction *action),
	TP_ARGS(irq, action),
	TP_STRUCT__entry(
		__field(int, irq)
		__string(name, action->name)
	),
	TP_fast_assign(
		__entry->irq = irq;
		__assign_str(name, action->name);
	),
	TP_printk("irq=%d name=%s", __entry->irq, __get_str(name))
);

TRACE_EVENT(irq_handler_exit,
	TP_PROTO(int irq, const struct irqaction *action, int ret),
	TP_ARGS(irq, action, ret),
	TP_STRUCT__entry(
		__field(int, irq)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->irq = irq;
		__entry->ret = ret;
	),
	TP_printk("irq=%d ret=%s",
		__entry->irq, __entry->ret ? "handled" : "unhandled")
);

TRACE_DEFINE_ENUM(HI_SOFTIRQ);
TRACE_DEFINE_ENUM(TIMER_SOFTIRQ);
TRACE_DEFINE_ENUM(NET_TX_SOFTIRQ);
TRACE_DEFINE_ENUM(NET_RX_SOFTIRQ);
TRACE_DEFINE_ENUM(BLOCK_SOFTIRQ);
TRACE_DEFINE_ENUM(IRQ_POLL_SOFTIRQ);
TRACE_DEFINE_ENUM(TASKLET_SOFTIRQ);
TRACE_DEFINE_ENUM(SCHED_SOFTIRQ);
TRACE_DEFINE_ENUM(HRTIMER_SOFTIRQ);
TRACE_DEFINE_ENUM(RCU_SOFTIRQ);

DECLARE_EVENT_CLASS(softirq,
	TP_PROTO(unsigned int vec_nr),
	TP_ARGS(vec_nr),
	TP_STRUCT__entry(
		__field(unsigned int, vec)
	),
	TP_fast_assign(
		__entry->vec = vec_nr;
	),
	TP_printk("vec=%u [action=%s]", __entry->vec,
		__print_symbolic(__entry->vec,
			{ HI_SOFTIRQ, "HI" },
			{ TIMER_SOFTIRQ, "TIMER" },
			{ NET_TX_SOFTIRQ, "NET_TX" },
			{ NET_RX_SOFTIRQ, "NET_RX" },
			{ BLOCK_SOFTIRQ, "BLOCK" },
			{ IRQ_POLL_SOFTIRQ, "IRQ_POLL" },
			{ TASKLET_SOFTIRQ, "TASKLET" },
			{ SCHED_SOFTIRQ, "SCHED" },
			{ HRTIMER_SOFTIRQ, "HRTIMER" },
			{ RCU_SOFTIRQ, "RCU" }))
);

DEFINE_EVENT(softirq, softirq_entry,
	TP_PROTO(unsigned int vec_nr),
	TP_ARGS(vec_nr)
);

DEFINE_EVENT(softirq, softirq_exit,
	TP_PROTO(unsigned int vec_nr),
	TP_ARGS(vec_nr)
);

DEFINE_EVENT(softirq, softirq_raise,
	TP_PROTO(unsigned int vec_nr),
	TP_ARGS(vec_nr)
);

DECLARE_EVENT_CLASS(tasklet,
	TP_PROTO(struct tasklet_struct *t, void *func),
	TP_ARGS(t, func),
	TP_STRUCT__entry(
		__field(void *, tasklet)
		__field(void *, func)
	),
	TP_fast_assign(
		__entry->tasklet = t;
		__entry->func = func;
	),
	TP_printk("tasklet=%ps function=%ps",
		__entry->tasklet, __entry->func)
);

DEFINE_EVENT(tasklet, tasklet_entry,
	TP_PROTO(struct tasklet_struct *t, void *func),
	TP_ARGS(t, func)
);

DEFINE_EVENT(tasklet, tasklet_exit,
	TP_PROTO(struct tasklet_struct *t, void *func),
	TP_ARGS(t, func)
);

#endif

#include <trace/define_trace.h>
