/* SPDX-License-Identifier: GPL-2.0-only */
/* Where interrupts enter C: their handlers, and what surrounds them. */
#ifndef _LINUX_IRQ_ENTRY_H
#define _LINUX_IRQ_ENTRY_H

#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irq_regs.h>

/* Tracers mark what is called from here as the start of an interrupt. */
#define __irq_entry	__section(".irqentry.text")

/*
 * Defines @func for entry code to call; what the interrupt does follows, and is
 * __@func: a function of that name where @qualifier is nothing, a part of @func
 * where it is inline. @stat counts how often it came.
 */
#define DEFINE_IRQ_ENTRY(qualifier, func, stat)				\
static qualifier void __##func(void);					\
									\
void __irq_entry func(struct pt_regs *regs)				\
{									\
	struct pt_regs *old = set_irq_regs(regs);			\
									\
	irq_enter_rcu();						\
	inc_irq_stat(stat);						\
	__##func();							\
	irq_exit_rcu();							\
	set_irq_regs(old);						\
}									\
									\
static qualifier void __##func(void)

#endif
