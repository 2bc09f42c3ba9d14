/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole pages: unrolled, because every turn of a loop costs a block. */
#include <linux/linkage.h>
#include <asm/page.h>

	.text

/* clear_page(page) */
SYM_FUNC_START(clear_page)
	set	PAGE_SIZE, %o1
	add	%o0, %o1, %o1
1:	.set	i, 0
	.rept	16
	stx	%g0, [%o0 + i]
	.set	i, i + 8
	.endr
	add	%o0, 128, %o0
	cmp	%o0, %o1
	bne,pt	%xcc, 1b
	 nop
	retl
	 nop
SYM_FUNC_END(clear_page)

/* copy_page(to, from) */
SYM_FUNC_START(copy_page)
	set	PAGE_SIZE, %o2
	add	%o0, %o2, %o2
1:	.set	i, 0
	.rept	16
	ldx	[%o1 + i], %o3
	stx	%o3, [%o0 + i]
	.set	i, i + 8
	.endr
	add	%o0, 128, %o0
	cmp	%o0, %o2
	bne,pt	%xcc, 1b
	 add	%o1, 128, %o1
	retl
	 nop
SYM_FUNC_END(copy_page)
