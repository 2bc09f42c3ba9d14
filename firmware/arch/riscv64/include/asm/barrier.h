/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory order between CPUs: RVWMO. */
#ifndef _ASM_BARRIER_H
#define _ASM_BARRIER_H

#include <linux/compiler.h>

#define RISCV_FENCE(p, s)	asm volatile("fence " #p "," #s : : : "memory")

#define smp_mb()	RISCV_FENCE(rw, rw)

#define smp_store_release(p, v) \
	do { RISCV_FENCE(rw, w); WRITE_ONCE(*(p), v); } while (0)

#define smp_load_acquire(p) ({			\
	typeof(*(p)) _l = READ_ONCE(*(p));	\
	RISCV_FENCE(r, rw);			\
	_l; })

#endif
