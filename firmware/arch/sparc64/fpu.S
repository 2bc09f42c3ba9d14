/* SPDX-License-Identifier: GPL-2.0-only */
/* A program's floating point registers, to and from its task. */
#include <linux/linkage.h>
#include <asm-offsets.h>

	.text

/* fpsave(fpu) */
SYM_FUNC_START(fpsave)
	.irp	n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	std	%f\n, [%o0 + 4 * \n]
	.endr
	.irp	n, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62
	std	%f\n, [%o0 + 4 * \n]
	.endr
	retl
	 stx	%fsr, [%o0 + FPU_fsr]
SYM_FUNC_END(fpsave)

/* fpload(fpu) */
SYM_FUNC_START(fpload)
	.irp	n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	ldd	[%o0 + 4 * \n], %f\n
	.endr
	.irp	n, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62
	ldd	[%o0 + 4 * \n], %f\n
	.endr
	retl
	 ldx	[%o0 + FPU_fsr], %fsr
SYM_FUNC_END(fpload)
