/* SPDX-License-Identifier: GPL-2.0-only */
/* The periodic tick of each CPU, and doing without it while idle. */
#ifndef _LINUX_TICK_H
#define _LINUX_TICK_H

#include <linux/types.h>

void tick_setup_sched_timer(void);

/* The idle loop's: around it, and before each sleep in it. */
void tick_nohz_idle_enter(void);
void tick_nohz_idle_stop_tick(void);
void tick_nohz_idle_exit(void);

/* For interrupts that find the CPU idle. */
void tick_irq_enter(void);
void tick_nohz_irq_exit(void);

u64 get_cpu_idle_time_us(int cpu);

#endif
