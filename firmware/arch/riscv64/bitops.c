/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting zeroes: gcc calls these, as there are no instructions for it. */
#include <linux/compiler.h>

int __clzdi2(unsigned long x);
int __ctzdi2(unsigned long x);

notrace int __clzdi2(unsigned long x)
{
	int n = 0;

	for (int half = 32; half; half /= 2) {
		if (!(x >> (64 - half))) {
			n += half;
			x <<= half;
		}
	}
	return n;
}

/* Of the lowest bit that is set. */
notrace int __ctzdi2(unsigned long x)
{
	return 63 - __clzdi2(x & -x);
}
