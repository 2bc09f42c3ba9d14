/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that do nothing. The number in a name is how far into a line of 64
 * bytes the function begins with its call site of a word, which nothing can
 * cut. The word behind it is a nop: together they hold a pair of instructions,
 * which at 0 crosses nothing, at 4 a quadword's end, at 60 the line's. No two
 * functions share a line. At 2 the first one lies in two words: nothing but the
 * lab changes it.
 */
#include <linux/linkage.h>

#define LINE	64

.macro SITE offset, letter
	.balign	LINE
	.if \offset
	.skip	\offset
	.endif
	.globl	race_site_\offset\letter
race_site_\offset\letter:
	c.nop
	c.nop
	.4byte	0x00000013		/* the long nop */
	ret
SYM_FUNC_END(race_site_\offset\letter)
	.if \offset % 4 == 0
	.pushsection __mcount_loc, "a"
	.balign	8
	.dword	race_site_\offset\letter
	.popsection
	.endif
.endm

	.text

	SITE 2, a
	SITE 2, b
	SITE 0, a
	SITE 0, b
	SITE 4, a
	SITE 4, b
	SITE 60, a
	SITE 60, b
	.balign	LINE
