/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting zeroes: gcc calls these where there are no instructions for it. A
 * file of such an architecture includes this.
 */
#ifndef _ASM_GENERIC_COUNT_ZEROES_H
#define _ASM_GENERIC_COUNT_ZEROES_H

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

#endif
