/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process used. */
#ifndef _LINUX_RESOURCE_H
#define _LINUX_RESOURCE_H

#include <linux/jiffies.h>
#include <linux/time.h>

struct rusage {
	struct __kernel_timeval ru_utime;
	struct __kernel_timeval ru_stime;
	long ru_unused[14];	/* memory, faults, switches: not counted */
};

#endif
