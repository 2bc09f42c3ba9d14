/* SPDX-License-Identifier: GPL-2.0-only */
/* The interrupt enable bit; the rest of the kernel's PSTATE never changes. */
#ifndef _ASM_IRQFLAGS_H
#define _ASM_IRQFLAGS_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <emu/hostcall.h>
#include <asm/pstate.h>

static __always_inline unsigned long arch_local_save_flags(void)
{
	unsigned long flags;

	asm volatile("rdpr %%pstate, %0" : "=r" (flags) : : "memory");
	return flags;
}

static __always_inline void arch_local_irq_disable(void)
{
	asm volatile("wrpr %0, %%pstate" : : "i" (PSTATE_KERNEL) : "memory");
}

static __always_inline void arch_local_irq_enable(void)
{
	asm volatile("wrpr %0, %%pstate"
		     : : "i" (PSTATE_KERNEL | PSTATE_IE) : "memory");
}

static __always_inline bool arch_irqs_disabled_flags(unsigned long flags)
{
	return !(flags & PSTATE_IE);
}

/* The host call ends for what is pending, even if it is masked. */
static __always_inline void arch_safe_halt(void)
{
	hostcall0(HC_HALT);
	arch_local_irq_enable();
}

#endif
