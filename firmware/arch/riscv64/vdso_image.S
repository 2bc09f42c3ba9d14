/* SPDX-License-Identifier: GPL-2.0-only */
/* The vDSO's image, as vdso/ is linked. */
#include <linux/linkage.h>

	.section .rodata, "a"
	.balign	8
	.globl	vdso_start, vdso_end
vdso_start:
	.incbin	VDSO
vdso_end:
