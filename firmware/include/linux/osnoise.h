/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tracers osnoise and timerlat are told of: whatever takes the CPU
 * away from a thread. These are nops until the host turns the key on, which it
 * does for as long as one of the two is set.
 */
#ifndef _LINUX_OSNOISE_H
#define _LINUX_OSNOISE_H

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

#endif
