/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that do nothing. A site is one aligned word; no two functions share a line. */
#include <linux/linkage.h>

.macro SITE letter
	.balign	64
	.globl	race_site_0\letter
race_site_0\letter:
	c.nop
	c.nop
	ret
SYM_FUNC_END(race_site_0\letter)
	.pushsection __mcount_loc, "a"
	.balign	8
	.dword	race_site_0\letter
	.popsection
.endm

	.text

	SITE a
	SITE b
