/* SPDX-License-Identifier: GPL-2.0-only */
/* Noticing CPUs that no longer schedule, or no longer take interrupts. */
#ifndef _LINUX_WATCHDOG_H
#define _LINUX_WATCHDOG_H

/* In every tick. */
void softlockup_tick(void);

/* For code that is long on purpose. */
void touch_softlockup_watchdog(void);
void touch_softlockup_watchdog_sched(void);

#endif
