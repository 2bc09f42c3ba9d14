/* SPDX-License-Identifier: GPL-2.0-only */
/* Registers of devices: memory behind the RAM, which is mapped to be used. */
#ifndef _ASM_IO_H
#define _ASM_IO_H

#include <linux/types.h>

/* Where the board has devices: physical addresses (docs/board.md). */
#define IO_WINDOW_START		0xf000000000UL
#define IO_WINDOW_SIZE		(16UL << 20)

/* Where ioremap() maps them: one entry of the top-level table. */
#define IOREMAP_START		0xffffc90000000000UL
#define IOREMAP_END		0xffffc98000000000UL

#define __iomem

/* NULL: it is RAM, there are no such addresses, or there is no memory. */
void __iomem *ioremap(resource_size_t phys_addr, unsigned long size);
void iounmap(volatile void __iomem *addr);

#define BUILD_IO(suffix, type, reg)					\
static inline type read##suffix(const volatile void __iomem *addr)	\
{									\
	type val;							\
									\
	asm volatile("mov %1, %0"					\
		     : "=" reg (val)					\
		     : "m" (*(const volatile type *)addr) : "memory");	\
	return val;							\
}									\
static inline void write##suffix(type val, volatile void __iomem *addr)	\
{									\
	asm volatile("mov %0, %1"					\
		     : : reg (val), "m" (*(volatile type *)addr)	\
		     : "memory");					\
}

BUILD_IO(b, u8, "q")
BUILD_IO(w, u16, "r")
BUILD_IO(l, u32, "r")
BUILD_IO(q, u64, "r")
#undef BUILD_IO

/* The same as functions. */
u8 ioread8(const void __iomem *addr);
u16 ioread16(const void __iomem *addr);
u32 ioread32(const void __iomem *addr);
u64 ioread64(const void __iomem *addr);
void iowrite8(u8 val, void __iomem *addr);
void iowrite16(u16 val, void __iomem *addr);
void iowrite32(u32 val, void __iomem *addr);
void iowrite64(u64 val, void __iomem *addr);

/* Several bytes, in pieces of any size. */
void memcpy_fromio(void *to, const volatile void __iomem *from, size_t n);
void memcpy_toio(volatile void __iomem *to, const void *from, size_t n);
void memset_io(volatile void __iomem *to, int c, size_t n);

#endif
