/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs and the scheduler tell each other. */
#ifndef _LINUX_SCHED_TYPES_H
#define _LINUX_SCHED_TYPES_H

#include <linux/types.h>
#include <uapi/linux/sched.h>

struct sched_param {
	int sched_priority;
};

struct sched_attr {
	u32 size;
	u32 sched_policy;
	u64 sched_flags;
	s32 sched_nice;			/* fair */
	u32 sched_priority;		/* real-time */
	u64 sched_runtime;		/* deadline, in nanoseconds */
	u64 sched_deadline;
	u64 sched_period;
	u32 sched_util_min;		/* not supported */
	u32 sched_util_max;
};

#define SCHED_ATTR_SIZE_VER0	48	/* without the last two */
#define SCHED_ATTR_SIZE_VER1	56

#define SCHED_DL_FLAGS \
	(SCHED_FLAG_RECLAIM | SCHED_FLAG_DL_OVERRUN)
#define SCHED_FLAG_ALL \
	(SCHED_FLAG_RESET_ON_FORK | SCHED_DL_FLAGS | \
	 SCHED_FLAG_KEEP_POLICY | SCHED_FLAG_KEEP_PARAMS)

#endif
