/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tracers osnoise and timerlat are told of: whatever takes the CPU
 * away from a thread. These are nops until the host turns the key on, which it
 * does for as long as one of the two is set.
 */
#ifndef _LINUX_OSNOISE_H
#define _LINUX_OSNOISE_H

#include <linux/cpumask.h>
#include <linux/jump_label.h>
#include <linux/types.h>

struct task_struct;

DECLARE_STATIC_KEY_FALSE(osnoise_key);

void osnoise_trace_nmi(bool enter);
void osnoise_trace_irq_entry(void);
void osnoise_trace_irq_exit(int id, const char *desc);
void osnoise_trace_softirq_entry(void);
void osnoise_trace_softirq_exit(int vector);
void osnoise_trace_sched_switch(struct task_struct *prev,
				struct task_struct *next);

#define OSNOISE_HOOK(name, proto, args)					\
	static __always_inline void osnoise_##name proto		\
	{								\
		if (static_branch_unlikely(&osnoise_key))		\
			osnoise_trace_##name args;			\
	}

OSNOISE_HOOK(nmi, (bool enter), (enter))
OSNOISE_HOOK(irq_entry, (void), ())
OSNOISE_HOOK(irq_exit, (int id, const char *desc), (id, desc))
OSNOISE_HOOK(softirq_entry, (void), ())
OSNOISE_HOOK(softirq_exit, (int vector), (vector))
OSNOISE_HOOK(sched_switch,
	     (struct task_struct *prev, struct task_struct *next), (prev, next))

#undef OSNOISE_HOOK

/* Bits of the options, by the places of their names in osnoise/options. */
enum {
	OSN_WORKLOAD = 1,		/* there are threads that are delayed */
	OSN_PANIC_ON_STOP,
	OSN_PREEMPT_DISABLE,
	OSN_IRQ_DISABLE,
};

/* What the files of osnoise/ show. The host reads and writes it. */
struct osnoise_data {
	u64 sample_period;		/* all times are in us */
	u64 sample_runtime;
	u64 stop_tracing;		/* 0: nothing stops it */
	u64 stop_tracing_total;
	u64 timerlat_period;
	u64 print_stack;		/* 0: no stack is shown */
	u64 options;
	struct cpumask cpus;
};

extern struct osnoise_data osnoise_data;

#endif
