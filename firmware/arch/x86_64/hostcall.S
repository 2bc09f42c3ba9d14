/* SPDX-License-Identifier: GPL-2.0-only */
/* The one instruction by which the kernel asks the host for something. */
#include <linux/linkage.h>

	.text

/*
 * long hostcall(nr, a, b, c, d): C's arguments become the host's. The host
 * answers before the block after the ret, so nothing may come in between.
 */
SYM_FUNC_START(hostcall)
	mov	%rdi, %rax
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	mov	%rcx, %rdx
	mov	%r8, %rcx
	out	%eax, $0xe0
	ret
SYM_FUNC_END(hostcall)
