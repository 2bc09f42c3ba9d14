/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CPU on which the most urgent thread could not have run for long is stuck.
 * That is seen by the tick: does it interrupt what can be preempted?
 */
#include <linux/irq_regs.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/watchdog.h>

#include "watchdog.h"

DEFINE_PER_CPU(unsigned long, hrtimer_interrupts);

/* When the CPU could last schedule, and when this was last reported. */
static DEFINE_PER_CPU(unsigned long, watchdog_touch_ts);
static DEFINE_PER_CPU(unsigned long, watchdog_report_ts);

static void __touch_softlockup_watchdog(void)
{
	this_cpu_write(watchdog_touch_ts, jiffies);
	this_cpu_write(watchdog_report_ts, jiffies);
}

/* For the idle loop: where there were no ticks, nothing was stuck. */
notrace void touch_softlockup_watchdog_sched(void)
{
	this_cpu_write(watchdog_touch_ts, jiffies);
	this_cpu_write(watchdog_report_ts, jiffies);
}

/* In the tick's interrupt, which itself counts as one. */
static inline bool could_schedule(struct pt_regs *regs)
{
	if (user_mode(regs) || is_idle_task(current))
		return true;
	return preempt_count() == HARDIRQ_OFFSET && !regs_irqs_disabled(regs);
}

static void softlockup_report(struct pt_regs *regs, unsigned long stuck)
{
	report_lockup(regs, "watchdog: BUG: soft lockup - CPU#%d stuck for "
		      "%lus! [%s:%d]", smp_processor_id(), stuck / HZ,
		      current->comm, current->pid);
	if (softlockup_panic)
		panic_regs(regs, "softlockup: hung tasks");
}

void softlockup_tick(void)
{
	struct pt_regs *regs = get_irq_regs();
	unsigned long now = jiffies, thresh = 2 * watchdog_thresh * HZ;

	this_cpu_write(hrtimer_interrupts, this_cpu_read(hrtimer_interrupts) + 1);
	if (likely(could_schedule(regs))) {
		__touch_softlockup_watchdog();
		return;
	}
	if (!(watchdog_enabled & SOFT_WATCHDOG_ENABLED) ||
	    time_before(now, this_cpu_read(watchdog_report_ts) + thresh))
		return;
	this_cpu_write(watchdog_report_ts, now);
	softlockup_report(regs, now - this_cpu_read(watchdog_touch_ts));
}
