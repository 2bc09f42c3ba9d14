/* SPDX-License-Identifier: GPL-2.0-only */
/* Times in microseconds. */
#ifndef SYS_TIME_H
#define SYS_TIME_H

#include <asm/posix_types.h>
#include <sys/types.h>

struct timeval {
	time_t	tv_sec;
	__kernel_suseconds_t tv_usec;
};

#endif
