/* SPDX-License-Identifier: GPL-2.0-only */
/* Bits in words and in arrays of words. */
#ifndef _LINUX_BITOPS_H
#define _LINUX_BITOPS_H

#include <linux/types.h>
#include <linux/atomic.h>

#define BITS_PER_LONG		64
#define BITS_TO_LONGS(n)	(((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, n)	unsigned long name[BITS_TO_LONGS(n)]
#define BIT_MASK(n)		(1UL << ((n) % BITS_PER_LONG))
#define BIT_WORD(n)		((n) / BITS_PER_LONG)

static inline bool test_bit(unsigned int n, const unsigned long *map)
{
	return READ_ONCE(map[BIT_WORD(n)]) & BIT_MASK(n);
}

static inline void __set_bit(unsigned int n, unsigned long *map)
{
	map[BIT_WORD(n)] |= BIT_MASK(n);
}

static inline void __clear_bit(unsigned int n, unsigned long *map)
{
	map[BIT_WORD(n)] &= ~BIT_MASK(n);
}

static inline bool test_and_set_bit(unsigned int n, unsigned long *map)
{
	return __atomic_fetch_or(&map[BIT_WORD(n)], BIT_MASK(n),
				 __ATOMIC_SEQ_CST) & BIT_MASK(n);
}

static inline bool test_and_clear_bit(unsigned int n, unsigned long *map)
{
	return __atomic_fetch_and(&map[BIT_WORD(n)], ~BIT_MASK(n),
				  __ATOMIC_SEQ_CST) & BIT_MASK(n);
}

static inline void set_bit(unsigned int n, unsigned long *map)
{
	__atomic_fetch_or(&map[BIT_WORD(n)], BIT_MASK(n), __ATOMIC_SEQ_CST);
}

static inline void clear_bit(unsigned int n, unsigned long *map)
{
	__atomic_fetch_and(&map[BIT_WORD(n)], ~BIT_MASK(n), __ATOMIC_SEQ_CST);
}

/* The first bit at or after @start that is set once @flip is applied. */
static inline unsigned int __find_next_bit(const unsigned long *map,
					   unsigned int size,
					   unsigned int start,
					   unsigned long flip)
{
	while (start < size) {
		unsigned long word = (READ_ONCE(map[BIT_WORD(start)]) ^ flip) >>
				     (start % BITS_PER_LONG);

		if (word) {
			start += __builtin_ctzl(word);
			return start < size ? start : size;
		}
		start = (BIT_WORD(start) + 1) * BITS_PER_LONG;
	}
	return size;
}

/* The first set bit at or after @start, or @size. */
static inline unsigned int find_next_bit(const unsigned long *map,
					 unsigned int size, unsigned int start)
{
	return __find_next_bit(map, size, start, 0);
}

/* The first clear bit at or after @start, or @size. */
static inline unsigned int find_next_zero_bit(const unsigned long *map,
					      unsigned int size,
					      unsigned int start)
{
	return __find_next_bit(map, size, start, ~0UL);
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#define __ffs(x)	((unsigned int)__builtin_ctzl(x))

#endif
