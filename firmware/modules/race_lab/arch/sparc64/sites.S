/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that do nothing. The number in a name is how far into a line of 64
 * bytes the function's call site lies: the second instruction, a word, which
 * nothing can cut. A site at 60 ends a line, and has its delay slot in the
 * next one.
 */
#include <linux/linkage.h>

#define LINE	64

.macro SITE offset, letter
	.balign	LINE
	.skip	LINE + \offset - 4
	.globl	race_site_\offset\letter
race_site_\offset\letter:
	save	%sp, -STACKFRAME_SZ, %sp
	call	_mcount
	 nop
	return	%i7 + 8
	 nop
SYM_FUNC_END(race_site_\offset\letter)
.endm

	.text

	SITE 0, a
	SITE 0, b
	SITE 60, a
	SITE 60, b
	.balign	LINE
