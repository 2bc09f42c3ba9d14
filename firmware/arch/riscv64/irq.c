/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts: what each level stands for. */
#include <linux/kernel.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_regs.h>
#include <linux/osnoise.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/upcall.h>
#include <asm/irq.h>
#include <asm/traps.h>

/* Tracers mark what is called from here as the start of an interrupt. */
#define __irq_entry	__section(".irqentry.text")

static void __irq_entry riscv_timer_interrupt(struct pt_regs *regs)
{
	struct pt_regs *old = set_irq_regs(regs);

	irq_enter_rcu();
	inc_irq_stat(timer_irqs);
	osnoise_irq_entry();
	hrtimer_interrupt();
	osnoise_irq_exit(LOCAL_TIMER_VECTOR, "local_timer");
	irq_exit_rcu();
	set_irq_regs(old);
}

static void __irq_entry host_device_interrupt(struct pt_regs *regs)
{
	struct pt_regs *old = set_irq_regs(regs);

	irq_enter_rcu();
	inc_irq_stat(host_device_irqs);
	__handle_irq_event_percpu(&host_device_action);
	irq_exit_rcu();
	set_irq_regs(old);
}

static void __irq_entry block_device_interrupt(struct pt_regs *regs)
{
	struct pt_regs *old = set_irq_regs(regs);

	irq_enter_rcu();
	inc_irq_stat(block_device_irqs);
	__handle_irq_event_percpu(&block_device_action);
	irq_exit_rcu();
	set_irq_regs(old);
}

static void __irq_entry call_function_interrupt(struct pt_regs *regs)
{
	irq_enter_rcu();
	inc_irq_stat(irq_call_count);
	osnoise_irq_entry();
	generic_smp_call_function_interrupt();
	osnoise_irq_exit(CALL_FUNCTION_VECTOR, "call_function");
	irq_exit_rcu();
}

/* The way out of the interrupt does the rescheduling. */
static void __irq_entry reschedule_interrupt(struct pt_regs *regs)
{
	preempt_count_add(HARDIRQ_OFFSET);
	inc_irq_stat(irq_resched_count);
	osnoise_irq_entry();
	scheduler_ipi();
	osnoise_irq_exit(RESCHEDULE_VECTOR, "reschedule");
	preempt_count_sub(HARDIRQ_OFFSET);
}

static void __irq_entry spurious_interrupt(struct pt_regs *regs)
{
	inc_irq_stat(spurious_irqs);
	pr_warn("CPU %d: interrupt at an unused level\n", smp_processor_id());
}

static noinstr void upcall_interrupt(struct pt_regs *regs)
{
	run_upcalls();
}

const trap_handler_t interrupt_handlers[NR_CAUSES] = {
	
	[0 ... 16]		= spurious_interrupt,
	[CALL_FUNCTION_VECTOR]	= call_function_interrupt,
	[RESCHEDULE_VECTOR]	= reschedule_interrupt,
	[19]			= spurious_interrupt,
	[BLOCK_DEVICE_VECTOR]	= block_device_interrupt,
	[HOST_DEVICE_VECTOR]	= host_device_interrupt,
	[22 ... 28]		= spurious_interrupt,
	[UPCALL_VECTOR]		= upcall_interrupt,
	[LOCAL_TIMER_VECTOR]	= riscv_timer_interrupt,
	[31 ... 62]		= spurious_interrupt,
	[NMI_CAUSE]		= do_nmi,
};
