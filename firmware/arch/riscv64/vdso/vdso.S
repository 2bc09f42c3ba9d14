/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's code in each address space; it has no frames to unwind. */
#define __SYSCALL(nr, name)	.set SYS_##name, nr
#include <asm/syscalls_64.h>

	.section .text, "ax"
	.option norvc

.macro VDSO_CALL name, number
	.globl	\name
	.type	\name, @function
\name:
	li	a7, \number
	ecall
.endm

/*
 * Where handlers return to. Unwinders know a signal's frame by these two
 * instructions.
 */
VDSO_CALL __vdso_rt_sigreturn, SYS_rt_sigreturn
	.size	__vdso_rt_sigreturn, . - __vdso_rt_sigreturn

VDSO_CALL __vdso_getcpu, SYS_getcpu
	ret
	.size	__vdso_getcpu, . - __vdso_getcpu

VDSO_CALL __vdso_flush_icache, SYS_riscv_flush_icache
	ret
	.size	__vdso_flush_icache, . - __vdso_flush_icache
