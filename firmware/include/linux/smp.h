/* SPDX-License-Identifier: GPL-2.0-only */
/* Other CPUs: starting them, asking them to run a function. */
#ifndef _LINUX_SMP_H
#define _LINUX_SMP_H

#include <linux/types.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/spinlock_types.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <asm/current.h>

typedef void (*smp_call_func_t)(void *info);

#define raw_smp_processor_id()	arch_smp_processor_id()
#define smp_processor_id()	arch_smp_processor_id()
#define get_cpu()		({ preempt_disable(); smp_processor_id(); })
#define put_cpu()		preempt_enable()

struct call_single_data {
	struct list_head node;
	smp_call_func_t func;
	void *info;
	u32 pending;			/* until func has been called */
	struct lock_release release;	/* when it had */
};

/* Run @func on other CPUs, with interrupts off, and wait if asked to. */
void smp_call_function_many(const struct cpumask *mask, smp_call_func_t func,
			    void *info, bool wait);
/* On this one too, and waits. */
void on_each_cpu(smp_call_func_t func, void *info);
/* Does not wait, not even for an earlier call with the same @csd. */
void smp_call_function_single_async(int cpu, struct call_single_data *csd);
void generic_smp_call_function_interrupt(void);

void smp_send_reschedule(int cpu);

#endif
