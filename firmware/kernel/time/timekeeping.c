/* SPDX-License-Identifier: GPL-2.0-only */
/* What time it is: the CPU's cycle counter, as nanoseconds. */
#include <linux/clockchips.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <emu/boot_params.h>
#include <asm/processor.h>

#define cycles_per_second	(boot_params.tsc_hz)

static inline u64 cycles_to_ns(u64 cycles)
{
	u64 seconds = cycles / cycles_per_second;
	u64 rest = cycles % cycles_per_second;

	return seconds * NSEC_PER_SEC + rest * NSEC_PER_SEC / cycles_per_second;
}

/*
 * Rounds up: at the result, ktime_get() has reached @time. By the wall clock a
 * timer may have been due before there was a machine.
 */
notrace u64 ktime_to_cycles(ktime_t time)
{
	u64 seconds = time / NSEC_PER_SEC;
	u64 rest = time % NSEC_PER_SEC;

	if (time == KTIME_MAX)
		return ~0ULL;
	if (time < 0)
		return 0;
	return seconds * cycles_per_second +
	       DIV_ROUND_UP(rest * cycles_per_second, NSEC_PER_SEC);
}

ktime_t ktime_get(void)
{
	return cycles_to_ns(get_cycles());
}

ktime_t ktime_get_real(void)
{
	return ktime_get() + WALL_CLOCK_AT_BOOT * NSEC_PER_SEC;
}

void ktime_get_real_ts64(struct timespec64 *ts)
{
	*ts = ktime_to_timespec64(ktime_get_real());
}

/* For file times: as of now, there is nothing cheaper to have. */
void ktime_get_coarse_real_ts64(struct timespec64 *ts)
{
	ktime_get_real_ts64(ts);
}

notrace u64 sched_clock(void)
{
	return cycles_to_ns(get_cycles());
}
