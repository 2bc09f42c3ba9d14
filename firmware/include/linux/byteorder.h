/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that are stored in one byte order, whatever the CPU's. */
#ifndef _LINUX_BYTEORDER_H
#define _LINUX_BYTEORDER_H

#include <linux/types.h>

typedef u16 __le16;
typedef u32 __le32;
typedef u64 __le64;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define le16_to_cpu(x)	((u16)(x))
#define le32_to_cpu(x)	((u32)(x))
#define le64_to_cpu(x)	((u64)(x))
#else
static inline u16 le16_to_cpu(__le16 x)
{
	return x << 8 | x >> 8;
}

static inline u32 le32_to_cpu(__le32 x)
{
	return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

static inline u64 le64_to_cpu(__le64 x)
{
	return (u64)le32_to_cpu(x) << 32 | le32_to_cpu(x >> 32);
}
#endif
#define cpu_to_le16(x)	((__le16)le16_to_cpu(x))
#define cpu_to_le32(x)	((__le32)le32_to_cpu(x))
#define cpu_to_le64(x)	((__le64)le64_to_cpu(x))

static inline void le16_add_cpu(__le16 *var, int val)
{
	*var = cpu_to_le16(le16_to_cpu(*var) + val);
}

static inline void le32_add_cpu(__le32 *var, int val)
{
	*var = cpu_to_le32(le32_to_cpu(*var) + val);
}

/* Bit maps, a byte at a time. */
static inline bool test_bit_le(unsigned int nr, const void *map)
{
	return ((const u8 *)map)[nr >> 3] >> (nr & 7) & 1;
}

static inline bool __test_and_set_bit_le(unsigned int nr, void *map)
{
	u8 *byte = (u8 *)map + (nr >> 3), bit = 1 << (nr & 7);
	bool was = *byte & bit;

	*byte |= bit;
	return was;
}

static inline bool __test_and_clear_bit_le(unsigned int nr, void *map)
{
	u8 *byte = (u8 *)map + (nr >> 3), bit = 1 << (nr & 7);
	bool was = *byte & bit;

	*byte &= ~bit;
	return was;
}

/* The first clear bit from @start on, or @size. */
static inline unsigned int find_next_zero_bit_le(const void *map,
						 unsigned int size,
						 unsigned int start)
{
	const u8 *bytes = map;

	while (start < size) {
		if (!(start & 7) && bytes[start >> 3] == 0xff)
			start += 8;
		else if (test_bit_le(start, map))
			start++;
		else
			return start;
	}
	return size;
}

#endif
