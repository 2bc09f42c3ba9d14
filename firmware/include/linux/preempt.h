/* SPDX-License-Identifier: GPL-2.0-only */
/* preempt_count: in which contexts a CPU is, and when it may be preempted. */
#ifndef _LINUX_PREEMPT_H
#define _LINUX_PREEMPT_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>

#define PREEMPT_SHIFT		0
#define SOFTIRQ_SHIFT		8
#define HARDIRQ_SHIFT		16
#define NMI_SHIFT		20

#define PREEMPT_MASK		0x000000ff
#define SOFTIRQ_MASK		0x0000ff00
#define HARDIRQ_MASK		0x000f0000
#define NMI_MASK		0x00f00000

#define PREEMPT_OFFSET		(1 << PREEMPT_SHIFT)
#define SOFTIRQ_OFFSET		(1 << SOFTIRQ_SHIFT)
#define HARDIRQ_OFFSET		(1 << HARDIRQ_SHIFT)
#define NMI_OFFSET		(1 << NMI_SHIFT)

/* Processing a softirq counts once, disabling softirqs counts twice. */
#define SOFTIRQ_DISABLE_OFFSET	(2 * SOFTIRQ_OFFSET)

/* What spin_lock_bh() adds: softirqs off, and no preemption. */
#define SOFTIRQ_LOCK_OFFSET	(SOFTIRQ_DISABLE_OFFSET + PREEMPT_OFFSET)

/*
 * Where the count has this bit (PREEMPT_ENABLED says so), it is set while no
 * reschedule is pending: the count is 0 when one is due and nothing forbids it.
 */
#define PREEMPT_NEED_RESCHED	0x80000000u

/* What a CPU starts with, and what its idle task keeps. */
#define INIT_PREEMPT_COUNT	(PREEMPT_OFFSET + PREEMPT_ENABLED)

#include <asm/preempt.h>

#define hardirq_count()		(preempt_count() & HARDIRQ_MASK)
#define softirq_count()		(preempt_count() & SOFTIRQ_MASK)
#define nmi_count()		(preempt_count() & NMI_MASK)
#define irq_count() \
	(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_MASK))

#define in_nmi()		nmi_count()
#define in_hardirq()		hardirq_count()
#define in_serving_softirq()	(softirq_count() & SOFTIRQ_OFFSET)
#define in_interrupt()		irq_count()
#define in_atomic()		(preempt_count() != 0)
#define preemptible()		(preempt_count() == 0 && !irqs_disabled())

static __always_inline bool trace_preempt_enabled(void)
{
	return static_branch_unlikely(&trace_preempt_key);
}

/* Right after @val was added: it is what turned preemption off. */
static __always_inline void preempt_latency_start(int val)
{
	if (trace_preempt_enabled() && preempt_count() == val)
		trace_preempt_off(CALLER_ADDR0, get_lock_parent_ip());
}

/* Subtracts @val, and tells before if nothing else keeps preemption off. */
static __always_inline void preempt_latency_sub(int val)
{
	if (trace_preempt_enabled())
		trace_preempt_sub(val, CALLER_ADDR0, get_lock_parent_ip());
	else
		__preempt_count_sub(val);
}

/* Traced functions, so that a trace shows every lock's nesting. */
void preempt_count_add(int val);
void preempt_count_sub(int val);
void preempt_schedule(void);

#define preempt_disable() \
	do { preempt_count_add(PREEMPT_OFFSET); barrier(); } while (0)

/* Nobody hears of these. */
#define preempt_disable_notrace() \
	do { __preempt_count_add(PREEMPT_OFFSET); barrier(); } while (0)
#define preempt_enable_no_resched_notrace() \
	do { barrier(); __preempt_count_sub(PREEMPT_OFFSET); } while (0)

/* For the scheduler itself, around the switch: traces do not show these. */
#define sched_preempt_disable()			\
	do {					\
		preempt_disable_notrace();	\
		preempt_latency_start(1);	\
	} while (0)
#define sched_preempt_enable_no_resched()		\
	do {						\
		barrier();				\
		preempt_latency_sub(PREEMPT_OFFSET);	\
	} while (0)

#define preempt_enable_no_resched() \
	do { barrier(); preempt_count_sub(PREEMPT_OFFSET); } while (0)

#define preempt_enable()				\
	do {						\
		preempt_enable_no_resched();		\
		if (unlikely(should_resched(0)))	\
			preempt_schedule();		\
	} while (0)

#define preempt_check_resched() \
	do { if (unlikely(should_resched(0))) preempt_schedule(); } while (0)

#endif
