/* SPDX-License-Identifier: GPL-2.0-only */
/* Noticing CPUs that no longer schedule, or no longer take interrupts. */
#ifndef _LINUX_WATCHDOG_H
#define _LINUX_WATCHDOG_H

/* In every tick. */
void softlockup_tick(void);

/* For the idle loop: where there were no ticks, nothing was stuck. */
void touch_softlockup_watchdog_sched(void);

#endif
