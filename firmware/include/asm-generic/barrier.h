/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory order by the compiler's fences, for any machine. */
#ifndef _ASM_GENERIC_BARRIER_H
#define _ASM_GENERIC_BARRIER_H

#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)

#define smp_store_release(p, v) \
	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

#define smp_load_acquire(p) \
	__atomic_load_n((p), __ATOMIC_ACQUIRE)

#endif
