/* SPDX-License-Identifier: GPL-2.0-only */
/* The one instruction by which the kernel asks the host for something. */
#include <linux/linkage.h>

	.text

/* long hostcall(nr, a, b, c, d) */
SYM_FUNC_START(hostcall)
	mov	%o0, %g1
	mov	%o1, %o0
	mov	%o2, %o1
	mov	%o3, %o2
	mov	%o4, %o3
	ta	0x7e
	retl
	 nop
SYM_FUNC_END(hostcall)
