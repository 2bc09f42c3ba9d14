/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole pages: unrolled, because every turn of a loop costs a block. */
#include <linux/linkage.h>
#include <asm/page.h>

	.text

/* clear_page(page) */
SYM_FUNC_START(clear_page)
	li	a1, PAGE_SIZE
	add	a1, a0, a1
1:	.set	i, 0
	.rept	16
	sd	zero, i(a0)
	.set	i, i + 8
	.endr
	addi	a0, a0, 128
	bne	a0, a1, 1b
	ret
SYM_FUNC_END(clear_page)

/* copy_page(to, from) */
SYM_FUNC_START(copy_page)
	li	a2, PAGE_SIZE
	add	a2, a0, a2
1:	.set	i, 0
	.rept	16
	ld	a3, i(a1)
	sd	a3, i(a0)
	.set	i, i + 8
	.endr
	addi	a0, a0, 128
	addi	a1, a1, 128
	bne	a0, a2, 1b
	ret
SYM_FUNC_END(copy_page)
