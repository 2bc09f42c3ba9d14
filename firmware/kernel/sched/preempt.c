/* SPDX-License-Identifier: GPL-2.0-only */
/* preempt_count's functions: out of line, so that traces show them. */
#include <linux/bug.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include "sched.h"

void preempt_count_add(int val)
{
	__preempt_count_add(val);
	preempt_latency_start(val);
}

void preempt_count_sub(int val)
{
	preempt_latency_sub(val);
}

static void __sched preempt_schedule_common(void)
{
	do {
		sched_preempt_disable();
		__schedule(SM_PREEMPT);
		sched_preempt_enable_no_resched();
	} while (need_resched());
}

/* For long work: a place where it can be preempted as well as not. */
int __sched __cond_resched(void)
{
	if (!should_resched(0))
		return 0;
	preempt_schedule_common();
	return 1;
}

/* Something that forbade preemption has ended while a reschedule was due. */
void __sched preempt_schedule(void)
{
	if (likely(!preemptible()))
		return;
	preempt_schedule_common();
}

/*
 * The same at the end of an interrupt: called and left with interrupts off,
 * preempt_count being 0.
 */
void __sched preempt_schedule_irq(void)
{
	do {
		sched_preempt_disable();
		local_irq_enable();
		__schedule(SM_PREEMPT);
		local_irq_disable();
		sched_preempt_enable_no_resched();
	} while (need_resched());
}
