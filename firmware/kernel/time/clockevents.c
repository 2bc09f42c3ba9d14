/* SPDX-License-Identifier: GPL-2.0-only */
/* Setting this CPU's next timer interrupt. */
#include <linux/clockchips.h>
#include <linux/kernel.h>
#include <emu/hostcall.h>

void set_next_event(u64 cycles)
{
	hostcall1(HC_TIMER_SET, cycles);
}

/* A time that has passed interrupts at once; KTIME_MAX never does. */
void clockevents_program_event(ktime_t expires)
{
	set_next_event(ktime_to_cycles(expires));
}

void tick_program_event(ktime_t expires)
{
	clockevents_program_event(expires);
}
