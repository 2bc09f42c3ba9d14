/* SPDX-License-Identifier: GPL-2.0-only */
/* The interrupt enable bit of sstatus. */
#ifndef _ASM_IRQFLAGS_H
#define _ASM_IRQFLAGS_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm/csr.h>

static __always_inline unsigned long arch_local_save_flags(void)
{
	return csr_read(sstatus);
}

static __always_inline void arch_local_irq_disable(void)
{
	csr_clear(sstatus, SR_SIE);
}

static __always_inline void arch_local_irq_enable(void)
{
	csr_set(sstatus, SR_SIE);
}

static __always_inline bool arch_irqs_disabled_flags(unsigned long flags)
{
	return !(flags & SR_SIE);
}

/* wfi ends for what is pending, even if it is masked. */
static __always_inline void arch_safe_halt(void)
{
	asm volatile("wfi" : : : "memory");
	arch_local_irq_enable();
}

#endif
