/* SPDX-License-Identifier: GPL-2.0-only */
/* A trampoline in which a CPU stays for as long as the host likes. */
#include <linux/linkage.h>

	.section .rodata
	.balign	8
	.globl	race_lab_template
race_lab_template:
	.quad	2f - 1f
1:	pause
	cmpl	$0, race_lab_hold
	jne	1b
	ret
2:
