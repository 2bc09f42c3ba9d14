/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turning this CPU's interrupts off and on. While trace_irqflags_key is on,
 * trace_hardirqs_off() is called after they have really been turned off, and
 * trace_hardirqs_on() before they are turned on. raw_local_irq_*() are for
 * code that must not tell, as the tracing itself.
 */
#ifndef _LINUX_IRQFLAGS_H
#define _LINUX_IRQFLAGS_H

#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <asm/cold_call.h>
#include <asm/irqflags.h>

DECLARE_STATIC_KEY_FALSE(trace_irqflags_key);
DECLARE_STATIC_KEY_FALSE(trace_preempt_key);

void trace_hardirqs_off(void) __cold_callee;
void trace_hardirqs_on(void) __cold_callee;
/* Around what is no latency although interrupts or preemption are off. */
void stop_critical_timings(void);
void start_critical_timings(void);

static __always_inline bool trace_irqflags_enabled(void)
{
	return static_branch_unlikely(&trace_irqflags_key);
}

static __always_inline bool critical_timings_enabled(void)
{
	return static_branch_unlikely(&trace_irqflags_key) ||
	       static_branch_unlikely(&trace_preempt_key);
}

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

#define raw_local_irq_enable()		arch_local_irq_enable()
#define raw_local_irq_disable()		arch_local_irq_disable()
#define raw_local_irq_save(flags)	((flags) = arch_local_irq_save())
#define raw_local_irq_restore(flags)	arch_local_irq_restore(flags)
#define irqs_disabled() \
	arch_irqs_disabled_flags(arch_local_save_flags())

static __always_inline void local_irq_enable(void)
{
	if (trace_irqflags_enabled())
		cold_call(trace_hardirqs_on);
	raw_local_irq_enable();
}

static __always_inline void local_irq_disable(void)
{
	if (trace_irqflags_enabled()) {
		bool was_disabled = irqs_disabled();

		raw_local_irq_disable();
		if (!was_disabled)
			cold_call(trace_hardirqs_off);
	} else {
		raw_local_irq_disable();
	}
}

#define local_irq_save(flags)						\
	do {								\
		raw_local_irq_save(flags);				\
		if (trace_irqflags_enabled() &&				\
		    !arch_irqs_disabled_flags(flags))			\
			cold_call(trace_hardirqs_off);			\
	} while (0)

static __always_inline void local_irq_restore(unsigned long flags)
{
	if (!arch_irqs_disabled_flags(flags))
		local_irq_enable();
}

#endif
