/* SPDX-License-Identifier: GPL-2.0-only */
/* The clocks, and alarms by them. */
#ifndef _UAPI_LINUX_TIME_H
#define _UAPI_LINUX_TIME_H

#define CLOCK_REALTIME			0
#define CLOCK_MONOTONIC			1
#define CLOCK_PROCESS_CPUTIME_ID	2
#define CLOCK_THREAD_CPUTIME_ID		3
#define CLOCK_MONOTONIC_RAW		4
#define CLOCK_REALTIME_COARSE		5
#define CLOCK_MONOTONIC_COARSE		6
#define CLOCK_BOOTTIME			7

#define TIMER_ABSTIME	1

/* setitimer(2) */
#define ITIMER_REAL	0	/* by the clock: SIGALRM */
#define ITIMER_VIRTUAL	1	/* by what the program itself has used: SIGVTALRM */
#define ITIMER_PROF	2	/* ... and the kernel on its behalf: SIGPROF */

#endif
