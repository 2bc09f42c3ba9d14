/* SPDX-License-Identifier: GPL-2.0-only */
/* How many CPUs and tasks there can be. */
#ifndef _LINUX_THREADS_H
#define _LINUX_THREADS_H

#define NR_CPUS		128
#define PID_MAX		32768

#endif
