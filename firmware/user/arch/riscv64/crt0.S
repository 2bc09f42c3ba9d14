/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where execve() enters a program. The stack pointer is at argc; the C part
 * wants that address as its argument, on a stack aligned as a call leaves it.
 */
	.section .text.start, "ax", @progbits
	.globl	_start
	.type	_start, @function
_start:
	li	s0, 0
	mv	a0, sp
	andi	sp, sp, -16
	call	__libc_start
	unimp
	.size	_start, . - _start

	.section .note.GNU-stack, "", @progbits
