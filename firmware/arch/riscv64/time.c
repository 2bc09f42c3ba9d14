/* SPDX-License-Identifier: GPL-2.0-only */
/* The local timer. */
#include <emu/hostcall.h>
#include <asm/timer.h>

void riscv_next_event(u64 cycles)
{
	hostcall1(HC_TIMER_SET, cycles);
}
