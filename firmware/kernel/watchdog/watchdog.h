/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two lockup detectors share. */
#ifndef _WATCHDOG_INTERNAL_H
#define _WATCHDOG_INTERNAL_H

#include <linux/compiler.h>
#include <linux/percpu.h>

struct pt_regs;

/* Which of them are at work. */
#define NMI_WATCHDOG_ENABLED	1
#define SOFT_WATCHDOG_ENABLED	2
extern unsigned int watchdog_enabled;

/* In seconds; a soft lockup takes twice as long. 0: no watchdog at all. */
extern int watchdog_thresh;
extern int softlockup_panic;
extern int hardlockup_panic;

/* On every CPU, as watchdog_enabled says. It waits for them. */
void watchdog_nmi_start(void);

/* Ticks so far, by which NMIs see whether there still are any. */
DECLARE_PER_CPU(unsigned long, hrtimer_interrupts);

/* To the log, the console and the host. From any context. */
void report_lockup(struct pt_regs *regs, const char *fmt, ...) __printf(2, 3);

#endif
