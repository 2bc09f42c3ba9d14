/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts: from vectors to their handlers. */
#include <linux/kernel.h>
#include <linux/hrtimer.h>
#include <linux/irq_entry.h>
#include <linux/osnoise.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/upcall.h>
#include <asm/irq.h>
#include <asm/traps.h>

#define CREATE_TRACE_POINTS
#include <asm/trace/irq_vectors.h>

#define DEFINE_SYSVEC(func, stat)	DEFINE_IRQ_ENTRY(, func, stat)

DEFINE_SYSVEC(sysvec_apic_timer_interrupt, timer_irqs)
{
	trace_local_timer_entry(LOCAL_TIMER_VECTOR);
	osnoise_irq_entry();
	hrtimer_interrupt();
	trace_local_timer_exit(LOCAL_TIMER_VECTOR);
	osnoise_irq_exit(LOCAL_TIMER_VECTOR, "local_timer");
}

DEFINE_SYSVEC(sysvec_host_device, host_device_irqs)
{
	__handle_irq_event_percpu(&host_device_action);
}

DEFINE_SYSVEC(sysvec_block_device, block_device_irqs)
{
	__handle_irq_event_percpu(&block_device_action);
}

static void __sysvec_call_function(void)
{
	trace_call_function_entry(CALL_FUNCTION_VECTOR);
	osnoise_irq_entry();
	generic_smp_call_function_interrupt();
	trace_call_function_exit(CALL_FUNCTION_VECTOR);
	osnoise_irq_exit(CALL_FUNCTION_VECTOR, "call_function");
}

void __irq_entry sysvec_call_function(struct pt_regs *regs)
{
	irq_enter_rcu();
	inc_irq_stat(irq_call_count);
	__sysvec_call_function();
	irq_exit_rcu();
}

/* The way out of the interrupt does the rescheduling. */
void __irq_entry sysvec_reschedule_ipi(struct pt_regs *regs)
{
	preempt_count_add(HARDIRQ_OFFSET);
	trace_reschedule_entry(RESCHEDULE_VECTOR);
	osnoise_irq_entry();
	inc_irq_stat(irq_resched_count);
	scheduler_ipi();
	trace_reschedule_exit(RESCHEDULE_VECTOR);
	osnoise_irq_exit(RESCHEDULE_VECTOR, "reschedule");
	preempt_count_sub(HARDIRQ_OFFSET);
}

void __irq_entry sysvec_spurious(struct pt_regs *regs)
{
	inc_irq_stat(spurious_irqs);
	pr_warn("CPU %d: interrupt from an unused vector\n",
		smp_processor_id());
}

noinstr void sysvec_upcall(struct pt_regs *regs)
{
	run_upcalls();
}
