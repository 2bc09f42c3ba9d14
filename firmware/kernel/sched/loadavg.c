/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The load: tasks that run, want to, or wait uninterruptibly. Jiffies stand
 * still while all CPUs are idle: what passed meanwhile is caught up with then.
 */
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/sched.h>
#include <linux/sched/loadavg.h>
#include "sched.h"

static unsigned long avenrun[3];
static unsigned long calc_load_update = LOAD_FREQ;

void get_avenrun(unsigned long loads[3], unsigned long offset)
{
	for (int i = 0; i < 3; i++)
		loads[i] = READ_ONCE(avenrun[i]) + offset;
}

/* x^n, rounded at every step. */
static unsigned long fixed_power_int(unsigned long x, unsigned int n)
{
	unsigned long result = FIXED_1;

	for (; n; n >>= 1) {
		if (n & 1)
			result = (result * x + FIXED_1 / 2) >> FSHIFT;
		x = (x * x + FIXED_1 / 2) >> FSHIFT;
	}
	return result;
}

static unsigned long calc_load(unsigned long load, unsigned long exp,
			       unsigned long active)
{
	unsigned long newload = load * exp + active * (FIXED_1 - exp);

	if (active >= load)
		newload += FIXED_1 - 1;
	return newload / FIXED_1;
}

/* The same @n times with the same number of tasks. */
static unsigned long calc_load_n(unsigned long load, unsigned long exp,
				 unsigned long active, unsigned int n)
{
	return calc_load(load, fixed_power_int(exp, n), active);
}

static void calc_load_times(unsigned long active, unsigned int n)
{
	active *= FIXED_1;
	avenrun[0] = calc_load_n(avenrun[0], EXP_1, active, n);
	avenrun[1] = calc_load_n(avenrun[1], EXP_5, active, n);
	avenrun[2] = calc_load_n(avenrun[2], EXP_15, active, n);
}

unsigned int nr_running(void)
{
	unsigned int sum = 0, cpu;

	for_each_online_cpu(cpu)
		sum += READ_ONCE(cpu_rq(cpu)->nr_running);
	return sum;
}

/* One may fall asleep on one CPU and be woken by another: only sums count. */
static unsigned int nr_uninterruptible(void)
{
	unsigned int cpu;
	int sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(cpu_rq(cpu)->nr_uninterruptible);
	return max(sum, 0);
}

/* All but the last of the times that have passed were without running tasks. */
void calc_global_load(void)
{
	unsigned long late;
	unsigned int n;

	if (time_before(jiffies, calc_load_update))
		return;
	late = jiffies - calc_load_update;
	n = late / LOAD_FREQ;
	if (n)
		calc_load_times(nr_uninterruptible(), n);
	calc_load_times(nr_running() + nr_uninterruptible(), 1);
	calc_load_update += (n + 1) * LOAD_FREQ;
}
