/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the board's interrupts do, for entry code that calls a function for
 * each. An architecture's irq.c includes it once, and defines before
 *
 * UNUSED_INTERRUPT	what the kernel says of one that means nothing
 */
#ifndef _ASM_GENERIC_INTERRUPTS_H
#define _ASM_GENERIC_INTERRUPTS_H

#include <linux/kernel.h>
#include <linux/hrtimer.h>
#include <linux/irq_entry.h>
#include <linux/osnoise.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/upcall.h>
#include <asm/irq.h>
#include <asm/traps.h>

#define DEFINE_INTERRUPT(func, stat)	DEFINE_IRQ_ENTRY(inline, func, stat)

DEFINE_INTERRUPT(timer_interrupt, timer_irqs)
{
	osnoise_irq_entry();
	hrtimer_interrupt();
	osnoise_irq_exit(LOCAL_TIMER_VECTOR, "local_timer");
}

DEFINE_INTERRUPT(host_device_interrupt, host_device_irqs)
{
	__handle_irq_event_percpu(&host_device_action);
}

DEFINE_INTERRUPT(block_device_interrupt, block_device_irqs)
{
	__handle_irq_event_percpu(&block_device_action);
}

void __irq_entry call_function_interrupt(struct pt_regs *regs)
{
	irq_enter_rcu();
	inc_irq_stat(irq_call_count);
	osnoise_irq_entry();
	generic_smp_call_function_interrupt();
	osnoise_irq_exit(CALL_FUNCTION_VECTOR, "call_function");
	irq_exit_rcu();
}

/* The way out of the interrupt does the rescheduling. */
void __irq_entry reschedule_interrupt(struct pt_regs *regs)
{
	preempt_count_add(HARDIRQ_OFFSET);
	inc_irq_stat(irq_resched_count);
	osnoise_irq_entry();
	scheduler_ipi();
	osnoise_irq_exit(RESCHEDULE_VECTOR, "reschedule");
	preempt_count_sub(HARDIRQ_OFFSET);
}

void __irq_entry spurious_interrupt(struct pt_regs *regs)
{
	inc_irq_stat(spurious_irqs);
	pr_warn("CPU %d: interrupt " UNUSED_INTERRUPT "\n", smp_processor_id());
}

noinstr void upcall_interrupt(struct pt_regs *regs)
{
	run_upcalls();
}

#endif
