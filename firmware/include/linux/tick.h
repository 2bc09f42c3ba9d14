/* SPDX-License-Identifier: GPL-2.0-only */
/* The periodic tick of each CPU, and doing without it while idle. */
#ifndef _LINUX_TICK_H
#define _LINUX_TICK_H

#include <linux/types.h>

void tick_setup_sched_timer(void);
void tick_nohz_idle_enter(void);
void tick_nohz_idle_exit(void);
void tick_irq_enter(void);
void tick_nohz_irq_exit(void);

#endif
