/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that do nothing. The number in a name is how far into a line of 64
 * bytes the function begins with its call site of five bytes: at 0 the site
 * crosses nothing, at 5 a quadword's end, at 13 that of 16 bytes, too, at 61
 * the line's. At 63 a branch of two bytes crosses it. At 4093, in a page, the
 * site crosses the page's end. No two functions share a line.
 */
#include <linux/linkage.h>

#define LINE		64
#define PAGE_SIZE	4096

.macro SITE offset, letter, within=LINE
	.balign	\within, 0xcc
	.fill	\offset, 1, 0xcc
	.globl	race_site_\offset\letter
race_site_\offset\letter:
	call	__fentry__
	push	%rbp
	mov	%rsp, %rbp
	pop	%rbp
	ret
SYM_FUNC_END(race_site_\offset\letter)
	.pushsection __mcount_loc, "a"
	.balign	8
	.quad	race_site_\offset\letter
	.popsection
.endm

	.text

	SITE 0, a
	SITE 0, b
	SITE 5, a
	SITE 5, b
	SITE 13, a
	SITE 13, b
	SITE 61, a
	SITE 61, b
	SITE 63, a
	SITE 63, b
	SITE 4093, a, PAGE_SIZE
	.balign	LINE, 0xcc
