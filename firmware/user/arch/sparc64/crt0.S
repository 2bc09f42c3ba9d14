/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where execve() enters a program. Above the stack pointer, with its bias, is
 * room for a window and then argc; the C part wants that address as its
 * argument, and room for its own arguments below.
 */
#define STACK_BIAS	2047
#define REG_WINDOW_SZ	128

	.section .text.start, "ax", @progbits
	.globl	_start
	.type	_start, @function
_start:
	clr	%fp
	add	%sp, STACK_BIAS + REG_WINDOW_SZ, %o0
	call	__libc_start
	 sub	%sp, 6 * 8, %sp
	illtrap	0
	.size	_start, . - _start

	.section .note.GNU-stack, "", @progbits
