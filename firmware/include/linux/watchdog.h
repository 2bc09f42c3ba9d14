/* SPDX-License-Identifier: GPL-2.0-only */
/* Noticing CPUs that no longer schedule, or no longer take interrupts. */
#ifndef _LINUX_WATCHDOG_H
#define _LINUX_WATCHDOG_H

#include <linux/percpu.h>

/* In seconds; a soft lockup takes twice as long. 0: no watchdog at all. */
extern int watchdog_thresh;
extern int nmi_watchdog_user_enabled;
extern int soft_watchdog_user_enabled;
extern int softlockup_panic;
extern int hardlockup_panic;

/* In every tick. */
void softlockup_tick(void);

/* For code that is long on purpose. */
void touch_softlockup_watchdog(void);
void touch_softlockup_watchdog_sched(void);

/* On every CPU, as the variables above say. It sleeps. */
void lockup_detector_update(void);

/* Ticks so far, by which NMIs see whether there still are any. */
DECLARE_PER_CPU(unsigned long, hrtimer_interrupts);

#endif
