/* SPDX-License-Identifier: GPL-2.0-only */
/* The tick counter. */
#ifndef _LINUX_JIFFIES_H
#define _LINUX_JIFFIES_H

#include <linux/types.h>
#include <linux/time.h>

#define HZ		1000
#define TICK_NSEC	(NSEC_PER_SEC / HZ)

extern volatile unsigned long jiffies;

#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_before(a, b)	time_after(b, a)
#define time_after_eq(a, b)	((long)((a) - (b)) >= 0)
#define time_before_eq(a, b)	time_after_eq(b, a)

static inline unsigned int jiffies_to_msecs(unsigned long j)
{
	return j * 1000 / HZ;
}

static inline unsigned long msecs_to_jiffies(unsigned int ms)
{
	return (unsigned long)ms * HZ / 1000;
}

#endif
