/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that look random, and are the same for the same seed (splitmix64). */
#include "fuzz.h"

unsigned long next_random(struct fuzzer *f)
{
	unsigned long x = f->random += 0x9e3779b97f4a7c15UL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9UL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebUL;
	return x ^ x >> 31;
}

unsigned long below(struct fuzzer *f, unsigned long n)
{
	return next_random(f) % n;
}
