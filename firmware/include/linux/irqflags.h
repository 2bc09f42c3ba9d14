/* SPDX-License-Identifier: GPL-2.0-only */
/* Turning this CPU's interrupts off and on. */
#ifndef _LINUX_IRQFLAGS_H
#define _LINUX_IRQFLAGS_H

#include <linux/compiler.h>
#include <asm/irqflags.h>

static __always_inline unsigned long arch_local_irq_save(void)
{
	unsigned long flags = arch_local_save_flags();

	arch_local_irq_disable();
	return flags;
}

static __always_inline void arch_local_irq_restore(unsigned long flags)
{
	if (!arch_irqs_disabled_flags(flags))
		arch_local_irq_enable();
}

#define local_irq_enable()		arch_local_irq_enable()
#define local_irq_disable()		arch_local_irq_disable()
#define local_irq_save(flags)		((flags) = arch_local_irq_save())
#define local_irq_restore(flags)	arch_local_irq_restore(flags)
#define irqs_disabled() \
	arch_irqs_disabled_flags(arch_local_save_flags())

#endif
