/* SPDX-License-Identifier: GPL-2.0-only */
/* The one instruction by which the kernel asks the host for something. */
#include <linux/linkage.h>

	.text

/* long hostcall(nr, a, b, c, d) */
SYM_FUNC_START(hostcall)
	mv	a7, a0
	mv	a0, a1
	mv	a1, a2
	mv	a2, a3
	mv	a3, a4
	ecall
	ret
SYM_FUNC_END(hostcall)
