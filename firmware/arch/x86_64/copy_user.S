/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies to and from user memory that end early where memory ends. */
#include <linux/linkage.h>

/* Going on at fixup when insn faults. */
.macro EXTABLE insn, fixup
	.pushsection __ex_table, "a"
	.balign 4
	.long	\insn - .
	.long	\fixup - .
	.popsection
.endm

	.text

/*
 * copy_user_generic(to, from, n): words, then bytes. A fault in a word is
 * retried byte by byte, so that all that can be copied is. Returns what is
 * left.
 */
SYM_FUNC_START(copy_user_generic)
	mov	%rdx, %rcx
	shr	$6, %rcx
	jz	2f
1:
10:	mov	(%rsi), %rax
11:	mov	8(%rsi), %r8
12:	mov	16(%rsi), %r9
13:	mov	24(%rsi), %r10
14:	mov	%rax, (%rdi)
15:	mov	%r8, 8(%rdi)
16:	mov	%r9, 16(%rdi)
17:	mov	%r10, 24(%rdi)
18:	mov	32(%rsi), %rax
19:	mov	40(%rsi), %r8
20:	mov	48(%rsi), %r9
21:	mov	56(%rsi), %r10
22:	mov	%rax, 32(%rdi)
23:	mov	%r8, 40(%rdi)
24:	mov	%r9, 48(%rdi)
25:	mov	%r10, 56(%rdi)
	add	$64, %rsi
	add	$64, %rdi
	sub	$64, %rdx
	dec	%rcx
	jnz	1b
2:	mov	%rdx, %rcx
	shr	$3, %rcx
	jz	4f
3:
30:	mov	(%rsi), %rax
31:	mov	%rax, (%rdi)
	add	$8, %rsi
	add	$8, %rdi
	sub	$8, %rdx
	dec	%rcx
	jnz	3b
4:	test	%rdx, %rdx
	jz	6f
5:
40:	movzbl	(%rsi), %eax
41:	mov	%al, (%rdi)
	inc	%rsi
	inc	%rdi
	dec	%rdx
	jnz	5b
6:	mov	%rdx, %rax
	ret

	.irp	n, 10, 11, 12, 13, 14, 15, 16, 17, 18
	EXTABLE	\n\()b, 5b
	.endr
	.irp	n, 19, 20, 21, 22, 23, 24, 25, 30, 31
	EXTABLE	\n\()b, 5b
	.endr
	EXTABLE	40b, 6b
	EXTABLE	41b, 6b
SYM_FUNC_END(copy_user_generic)

/* clear_user_generic(to, n): returns how many bytes are left. */
SYM_FUNC_START(clear_user_generic)
	xor	%eax, %eax
	mov	%rsi, %rcx
	shr	$3, %rcx
	jz	2f
1:
10:	mov	%rax, (%rdi)
	add	$8, %rdi
	sub	$8, %rsi
	dec	%rcx
	jnz	1b
2:	test	%rsi, %rsi
	jz	4f
3:
11:	mov	%al, (%rdi)
	inc	%rdi
	dec	%rsi
	jnz	3b
4:	mov	%rsi, %rax
	ret

	EXTABLE	10b, 3b
	EXTABLE	11b, 4b
SYM_FUNC_END(clear_user_generic)
