/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts: what each cause stands for. */
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

DEFINE_INTERRUPT(riscv_timer_interrupt, timer_irqs)
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
	pr_warn("CPU %d: interrupt of an unused cause\n", smp_processor_id());
}

noinstr void upcall_interrupt(struct pt_regs *regs)
{
	run_upcalls();
}

#define EACH_UNUSED(first, last) [first ... last] = spurious_interrupt

const trap_handler_t interrupt_handlers[NR_CAUSES] = {
	EACH_UNUSED(0, CALL_FUNCTION_VECTOR - 1),
	[CALL_FUNCTION_VECTOR]	= call_function_interrupt,
	[RESCHEDULE_VECTOR]	= reschedule_interrupt,
	EACH_UNUSED(RESCHEDULE_VECTOR + 1, BLOCK_DEVICE_VECTOR - 1),
	[BLOCK_DEVICE_VECTOR]	= block_device_interrupt,
	[HOST_DEVICE_VECTOR]	= host_device_interrupt,
	EACH_UNUSED(HOST_DEVICE_VECTOR + 1, UPCALL_VECTOR - 1),
	[UPCALL_VECTOR]		= upcall_interrupt,
	[LOCAL_TIMER_VECTOR]	= riscv_timer_interrupt,
	EACH_UNUSED(LOCAL_TIMER_VECTOR + 1, NMI_CAUSE - 1),
	[NMI_CAUSE]		= do_nmi,
};
