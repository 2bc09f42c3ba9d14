/* SPDX-License-Identifier: GPL-2.0-only */
/* The local timer. */
#include <linux/clockchips.h>
#include <emu/hostcall.h>

/* Named as on machines whose local timer this one stands for. */
void lapic_next_event(u64 cycles)
{
	hostcall1(HC_TIMER_SET, cycles);
}
