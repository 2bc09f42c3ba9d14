/* SPDX-License-Identifier: GPL-2.0-only */
/* Where handlers return to, and how threads begin. */
#include <syscall.h>

	.section .text, "ax", @progbits

	.globl	__sigreturn
	.type	__sigreturn, @function
__sigreturn:
	movl	$SYS_rt_sigreturn, %eax
	syscall
	.size	__sigreturn, . - __sigreturn

/* __clone(function, stack, flags, argument, ptid, tls, ctid) */
	.globl	__clone
	.type	__clone, @function
__clone:
	andq	$-16, %rsi
	subq	$16, %rsi
	movq	%rdi, (%rsi)
	movq	%rcx, 8(%rsi)
	movq	%rdx, %rdi
	movq	%r8, %rdx
	movq	%r9, %r8
	movq	8(%rsp), %r10
	movl	$SYS_clone, %eax
	syscall
	testq	%rax, %rax
	jnz	1f
	xorl	%ebp, %ebp
	popq	%rax
	popq	%rdi
	call	*%rax
	movl	%eax, %edi
	movl	$SYS_exit, %eax
	syscall
	ud2
1:	ret
	.size	__clone, . - __clone

	.section .note.GNU-stack, "", @progbits
