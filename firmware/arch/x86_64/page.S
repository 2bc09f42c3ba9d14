/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole pages: unrolled, because every turn of a loop costs a block. */
#include <linux/linkage.h>
#include <asm/page.h>

	.text

/* clear_page(page) */
SYM_FUNC_START(clear_page)
	xor	%eax, %eax
	mov	$PAGE_SIZE / 128, %ecx
1:	.set	i, 0
	.rept	16
	mov	%rax, i(%rdi)
	.set	i, i + 8
	.endr
	sub	$-128, %rdi
	dec	%ecx
	jnz	1b
	ret
SYM_FUNC_END(clear_page)

/* copy_page(to, from) */
SYM_FUNC_START(copy_page)
	mov	$PAGE_SIZE / 128, %ecx
1:	.set	i, 0
	.rept	16
	mov	i(%rsi), %rax
	mov	%rax, i(%rdi)
	.set	i, i + 8
	.endr
	sub	$-128, %rsi
	sub	$-128, %rdi
	dec	%ecx
	jnz	1b
	ret
SYM_FUNC_END(copy_page)
