/* SPDX-License-Identifier: GPL-2.0-only */
/* How threads begin. */
#include <syscall.h>

	.section .text, "ax", @progbits

/* __clone(function, stack, flags, argument, ptid, tls, ctid) */
	.globl	__clone
	.type	__clone, @function
__clone:
	andi	a1, a1, -16
	addi	a1, a1, -16
	sd	a0, (a1)
	sd	a3, 8(a1)
	mv	a0, a2
	mv	a2, a4
	mv	a3, a5
	mv	a4, a6
	li	a7, SYS_clone
	ecall
	bnez	a0, 1f
	li	s0, 0
	ld	t0, (sp)
	ld	a0, 8(sp)
	addi	sp, sp, 16
	jalr	t0
	li	a7, SYS_exit
	ecall
	unimp
1:	ret
	.size	__clone, . - __clone

	.section .note.GNU-stack, "", @progbits
