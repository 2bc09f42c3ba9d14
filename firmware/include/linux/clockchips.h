/* SPDX-License-Identifier: GPL-2.0-only */
/* The device that interrupts this CPU at a given time. */
#ifndef _LINUX_CLOCKCHIPS_H
#define _LINUX_CLOCKCHIPS_H

#include <linux/ktime.h>

/* arch: an interrupt at an absolute count of cycles, ~0 = never. */
void lapic_next_event(u64 cycles);

void clockevents_program_event(ktime_t expires);
void tick_program_event(ktime_t expires);

u64 ktime_to_cycles(ktime_t time);

#endif
