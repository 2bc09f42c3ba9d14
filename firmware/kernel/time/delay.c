/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting without sleeping. */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <asm/processor.h>

void ndelay(unsigned long nsecs)
{
	u64 end = sched_clock() + nsecs;

	while (sched_clock() < end)
		cpu_relax();
}
