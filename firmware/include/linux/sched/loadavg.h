/* SPDX-License-Identifier: GPL-2.0-only */
/* How many tasks wanted to run, on average: fixed-point numbers. */
#ifndef _LINUX_SCHED_LOADAVG_H
#define _LINUX_SCHED_LOADAVG_H

#include <linux/jiffies.h>

#define FSHIFT		11		/* bits of the fraction */
#define FIXED_1		(1 << FSHIFT)
#define LOAD_FREQ	(5 * HZ + 1)	/* how often it is looked */

/* What remains of an average after 5 seconds: 1 / exp(5 s / 1, 5, 15 min). */
#define EXP_1		1884
#define EXP_5		2014
#define EXP_15		2037

#define LOAD_INT(x)	((x) >> FSHIFT)
#define LOAD_FRAC(x)	LOAD_INT(((x) & (FIXED_1 - 1)) * 100)

/* Each with @offset added. */
void get_avenrun(unsigned long loads[3], unsigned long offset);

/* After jiffies has changed, by whoever has changed it. */
void calc_global_load(void);

#endif
