/* SPDX-License-Identifier: GPL-2.0-only */
/* The interrupt flag. */
#ifndef _ASM_IRQFLAGS_H
#define _ASM_IRQFLAGS_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm/processor-flags.h>

static __always_inline unsigned long arch_local_save_flags(void)
{
	unsigned long flags;

	asm volatile("pushf; pop %0" : "=rm" (flags) : : "memory");
	return flags;
}

static __always_inline void arch_local_irq_disable(void)
{
	asm volatile("cli" : : : "memory");
}

static __always_inline void arch_local_irq_enable(void)
{
	asm volatile("sti" : : : "memory");
}

static __always_inline bool arch_irqs_disabled_flags(unsigned long flags)
{
	return !(flags & X86_EFLAGS_IF);
}

/* Interrupts cannot slip in between: sti's shadow covers the hlt. */
static __always_inline void arch_safe_halt(void)
{
	asm volatile("sti; hlt" : : : "memory");
}

#endif
