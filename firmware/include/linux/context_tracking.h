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

/* A count that is odd while RCU watches this CPU. */
unsigned int ct_dynticks(void);
/* How many interrupts are being served that began while idle. */
unsigned int ct_irq_nesting(void);

#endif
