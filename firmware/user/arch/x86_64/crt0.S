/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where execve() enters a program. The stack pointer is at argc; the C part
 * wants that address as its argument, on a stack aligned as a call leaves it.
 */
	.section .text.start, "ax", @progbits
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	movq	%rsp, %rdi
	andq	$-16, %rsp
	call	__libc_start
	ud2
	.size	_start, . - _start

	.section .note.GNU-stack, "", @progbits
