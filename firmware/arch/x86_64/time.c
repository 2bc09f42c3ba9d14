/* SPDX-License-Identifier: GPL-2.0-only */
/* The local timer and the cycle counter, as the generic time code uses them. */
#include <linux/clockchips.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <emu/boot_params.h>
#include <emu/hostcall.h>
#include <asm/processor.h>

u64 cycles_per_second;

/* Named as on machines whose local timer this one stands for. */
void lapic_next_event(u64 cycles)
{
	hostcall1(HC_TIMER_SET, cycles);
}

void __init time_init(void)
{
	cycles_per_second = boot_params.tsc_hz;
}
