/* SPDX-License-Identifier: GPL-2.0-only */
/* The device that interrupts this CPU at a given time. */
#ifndef _LINUX_CLOCKCHIPS_H
#define _LINUX_CLOCKCHIPS_H

#include <linux/ktime.h>
#include <asm/timer.h>

/* At an absolute count; ~0: never. */
void set_next_event(u64 cycles);

void clockevents_program_event(ktime_t expires);
void tick_program_event(ktime_t expires);

u64 ktime_to_cycles(ktime_t time);

#endif
