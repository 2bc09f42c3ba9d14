/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU that has been asked to reschedule and does not is stuck. */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/watchdog.h>

#define SOFTLOCKUP_THRESHOLD	(20 * HZ)

static DEFINE_PER_CPU(unsigned long, resched_ticks);

/* The CPU reschedules when it should. */
static void __touch_softlockup_watchdog(void)
{
	*this_cpu_ptr(&resched_ticks) = 0;
}

void softlockup_tick(void)
{
	unsigned long *ticks = this_cpu_ptr(&resched_ticks);

	if (!need_resched()) {
		__touch_softlockup_watchdog();
		return;
	}
	++*ticks;
	WARN_ON_ONCE(*ticks > SOFTLOCKUP_THRESHOLD);
}
