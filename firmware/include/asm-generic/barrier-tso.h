/* SPDX-License-Identifier: GPL-2.0-only */
/* Where stores are seen in order, and loads are done in it: total store order. */
#ifndef _ASM_GENERIC_BARRIER_TSO_H
#define _ASM_GENERIC_BARRIER_TSO_H

#include <linux/compiler.h>

#define smp_store_release(p, v) \
	do { barrier(); WRITE_ONCE(*(p), v); } while (0)

#define smp_load_acquire(p) ({			\
	typeof(*(p)) _l = READ_ONCE(*(p));	\
	barrier();				\
	_l; })

#endif
