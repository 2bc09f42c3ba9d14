/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic operations on bytes and halves of words: gcc calls these, as there are no instructions for them. */
#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/cmpxchg.h>

u8 emu_exchange_1(volatile void *p, u8 val, int order) asm("__atomic_exchange_1");
u16 emu_fetch_add_2(volatile void *p, u16 val, int order) asm("__atomic_fetch_add_2");

notrace u8 emu_exchange_1(volatile void *p, u8 val, int order)
{
	u32 *word = (u32 *)((unsigned long)p & ~3UL);
	unsigned int shift = ((unsigned long)p & 3) * 8;
	u32 old;

	do {
		old = READ_ONCE(*word);
	} while (cmpxchg(word, old, (old & ~(0xffU << shift)) |
				    (u32)val << shift) != old);
	return old >> shift;
}

notrace u16 emu_fetch_add_2(volatile void *p, u16 val, int order)
{
	u32 *word = (u32 *)((unsigned long)p & ~3UL);
	unsigned int shift = ((unsigned long)p & 2) * 8;
	u32 old, sum;

	do {
		old = READ_ONCE(*word);
		sum = (u16)((old >> shift) + val);
	} while (cmpxchg(word, old, (old & ~(0xffffU << shift)) |
				    sum << shift) != old);
	return old >> shift;
}
