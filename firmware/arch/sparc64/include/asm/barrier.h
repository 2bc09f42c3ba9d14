/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory order between CPUs: total store order, as PSTATE.MM says. */
#ifndef _ASM_BARRIER_H
#define _ASM_BARRIER_H

#include <linux/compiler.h>

#define smp_mb()	asm volatile("membar #StoreLoad" : : : "memory")

#define smp_store_release(p, v) \
	do { barrier(); WRITE_ONCE(*(p), v); } while (0)

#define smp_load_acquire(p) ({			\
	typeof(*(p)) _l = READ_ONCE(*(p));	\
	barrier();				\
	_l; })

#endif
