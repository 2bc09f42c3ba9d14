/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Idle CPUs, for RCU: they read nothing. An interrupt makes its CPU count
 * again as long as it lasts. All with interrupts off.
 */
#ifndef _LINUX_CONTEXT_TRACKING_H
#define _LINUX_CONTEXT_TRACKING_H

void ct_idle_enter(void);
void ct_idle_exit(void);
void ct_irq_enter(void);
void ct_irq_exit(void);

#endif
