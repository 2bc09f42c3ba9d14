/* SPDX-License-Identifier: GPL-2.0-only */
/* Where handlers return to, and how threads begin. */
#include <syscall.h>

#define STACK_BIAS		2047
#define FRAME_SZ		192
#define SEVENTH_ARGUMENT	(STACK_BIAS + 176)

	.section .text, "ax", @progbits

	.globl	__sigreturn
	.type	__sigreturn, @function
__sigreturn:
	mov	SYS_rt_sigreturn, %g1
	ta	0x6d
	illtrap	0
	.size	__sigreturn, . - __sigreturn

/* __clone(function, stack, flags, argument, ptid, tls, ctid) */
	.globl	__clone
	.type	__clone, @function
__clone:
	save	%sp, -FRAME_SZ, %sp
	mov	%i2, %o0
	and	%i1, -16, %o1
	sub	%o1, STACK_BIAS + FRAME_SZ, %o1
	mov	%i4, %o2
	mov	%i5, %o3
	ldx	[%fp + SEVENTH_ARGUMENT], %o4
	mov	SYS_clone, %g1
	ta	0x6d
	bcs,pn	%xcc, 2f
	 nop
	brnz,pn	%o1, 1f
	 nop
	ret
	 restore %o0, 0, %o0
1:	mov	%g0, %fp
	jmpl	%i0, %o7
	 mov	%i3, %o0
	mov	SYS_exit, %g1
	ta	0x6d
	illtrap	0
2:	neg	%o0
	ret
	 restore %o0, 0, %o0
	.size	__clone, . - __clone

	.section .note.GNU-stack, "", @progbits
