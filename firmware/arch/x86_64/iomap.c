/* SPDX-License-Identifier: GPL-2.0-only */
/* Access to the registers of devices, for whoever wants functions. */
#include <linux/export.h>
#include <linux/io.h>

#define IOMAP(bits, suffix)						\
u##bits ioread##bits(const void __iomem *addr)				\
{									\
	return read##suffix(addr);					\
}									\
EXPORT_SYMBOL(ioread##bits);						\
void iowrite##bits(u##bits val, void __iomem *addr)			\
{									\
	write##suffix(val, addr);					\
}									\
EXPORT_SYMBOL(iowrite##bits)

IOMAP(8, b);
IOMAP(16, w);
IOMAP(32, l);
IOMAP(64, q);

void memcpy_fromio(void *to, const volatile void __iomem *from, size_t n)
{
	asm volatile("rep movsb"
		     : "+D" (to), "+S" (from), "+c" (n) : : "memory");
}
EXPORT_SYMBOL(memcpy_fromio);

void memcpy_toio(volatile void __iomem *to, const void *from, size_t n)
{
	asm volatile("rep movsb"
		     : "+D" (to), "+S" (from), "+c" (n) : : "memory");
}
EXPORT_SYMBOL(memcpy_toio);

void memset_io(volatile void __iomem *to, int c, size_t n)
{
	asm volatile("rep stosb" : "+D" (to), "+c" (n) : "a" (c) : "memory");
}
EXPORT_SYMBOL(memset_io);
