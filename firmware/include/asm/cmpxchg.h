/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic read-modify-write of words. */
#ifndef _ASM_CMPXCHG_H
#define _ASM_CMPXCHG_H

#define xchg(ptr, v) \
	({ __atomic_exchange_n(ptr, v, __ATOMIC_SEQ_CST); })
#define xadd(ptr, v)	__atomic_fetch_add(ptr, v, __ATOMIC_SEQ_CST)

/* Returns what was there: @o if it was replaced. */
#define cmpxchg(ptr, o, n) ({						\
	typeof(*(ptr)) _old = (o);					\
	__atomic_compare_exchange_n(ptr, &_old, n, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	_old; })

#endif
