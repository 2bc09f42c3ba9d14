/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory order between CPUs: total store order, as PSTATE.MM says. */
#ifndef _ASM_BARRIER_H
#define _ASM_BARRIER_H

#include <asm-generic/barrier-tso.h>

#define smp_mb()	asm volatile("membar #StoreLoad" : : : "memory")

#endif
