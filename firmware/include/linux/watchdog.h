/* SPDX-License-Identifier: GPL-2.0-only */
/* Noticing CPUs that no longer schedule. */
#ifndef _LINUX_WATCHDOG_H
#define _LINUX_WATCHDOG_H

void softlockup_tick(void);

#endif
