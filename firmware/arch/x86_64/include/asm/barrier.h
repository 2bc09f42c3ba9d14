/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory order between CPUs. */
#ifndef _ASM_BARRIER_H
#define _ASM_BARRIER_H

#include <asm-generic/barrier-tso.h>

#define smp_mb() \
	asm volatile("lock; addl $0, -4(%%rsp)" : : : "memory", "cc")

#endif
