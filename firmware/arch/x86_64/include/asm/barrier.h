/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory order between CPUs. */
#ifndef _ASM_BARRIER_H
#define _ASM_BARRIER_H

#include <linux/compiler.h>

#define smp_mb() \
	asm volatile("lock; addl $0, -4(%%rsp)" : : : "memory", "cc")

#define smp_store_release(p, v) \
	do { barrier(); WRITE_ONCE(*(p), v); } while (0)

#define smp_load_acquire(p) ({			\
	typeof(*(p)) _l = READ_ONCE(*(p));	\
	barrier();				\
	_l; })

#endif
