/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CPU that has had no tick for a whole period of a timer whose interrupt
 * cannot be masked is stuck with interrupts off. The timer does not wake a CPU
 * that sleeps, and one that has slept is not stuck.
 */
#include <linux/ktime.h>
#include <linux/kernel.h>
#include <linux/clockchips.h>
#include <linux/init.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <emu/hostcall.h>
#include <asm/processor.h>

#include "watchdog.h"

#define NEVER	(~0ULL)

DEFINE_PER_CPU(bool, watchdog_nmi_touch);

static DEFINE_PER_CPU(u64, nmi_deadline) = NEVER;	/* in cycles */
static DEFINE_PER_CPU(unsigned long, hrtimer_interrupts_saved);
static DEFINE_PER_CPU(bool, hard_watchdog_warn);	/* said already */

static void watchdog_nmi_program(u64 deadline)
{
	this_cpu_write(nmi_deadline, deadline);
	hostcall1(HC_NMI_TIMER_SET, deadline);
}

static bool is_hardlockup(void)
{
	unsigned long hrint = this_cpu_read(hrtimer_interrupts);

	if (this_cpu_read(hrtimer_interrupts_saved) == hrint)
		return true;
	this_cpu_write(hrtimer_interrupts_saved, hrint);
	return false;
}

static void watchdog_overflow_callback(struct pt_regs *regs)
{
	if (this_cpu_read(watchdog_nmi_touch)) {
		this_cpu_write(watchdog_nmi_touch, false);
		return;
	}
	if (!is_hardlockup()) {
		this_cpu_write(hard_watchdog_warn, false);
		return;
	}
	if (this_cpu_read(hard_watchdog_warn))
		return;
	this_cpu_write(hard_watchdog_warn, true);
	report_lockup(regs, "NMI watchdog: Watchdog detected hard LOCKUP "
		      "on cpu %d", smp_processor_id());
	if (hardlockup_panic)
		panic_regs(regs, "Hard LOCKUP");
}

/* Each NMI asks whether it was this timer that had run out. */
static int watchdog_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	u64 now = get_cycles();

	if (likely(now < this_cpu_read(nmi_deadline)))
		return NMI_DONE;
	watchdog_overflow_callback(regs);
	watchdog_nmi_program(now + ktime_to_cycles(watchdog_thresh *
						   NSEC_PER_SEC));
	return NMI_HANDLED;
}

static int __init watchdog_nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, watchdog_nmi_handler, 0,
				    "watchdog");
}
core_initcall(watchdog_nmi_init);

/* On each CPU: @period in cycles, 0 for none. */
static void watchdog_nmi_set(void *period)
{
	u64 cycles = *(u64 *)period;

	touch_nmi_watchdog();
	watchdog_nmi_program(cycles ? get_cycles() + cycles : NEVER);
}

void watchdog_nmi_start(void)
{
	u64 period = 0;

	if (watchdog_enabled & NMI_WATCHDOG_ENABLED)
		period = ktime_to_cycles(watchdog_thresh * NSEC_PER_SEC);
	on_each_cpu(watchdog_nmi_set, &period);
}
