/* SPDX-License-Identifier: GPL-2.0-only */
/* A program's floating point registers, to and from memory. */
#include <asm/csr.h>
#include <linux/linkage.h>
#include <asm-offsets.h>

	.text

.macro EACH op
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\op	f\n, 8 * \n (a0)
	.endr
	.irp	n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\op	f\n, 8 * \n (a0)
	.endr
.endm

/* fstate_save(fpu) */
SYM_FUNC_START(fstate_save)
	li	a2, SR_FS
	csrs	sstatus, a2
	EACH	fsd
	frcsr	a1
	sd	a1, FPU_fcsr(a0)
	csrc	sstatus, a2
	ret
SYM_FUNC_END(fstate_save)

/* fstate_restore(fpu) */
SYM_FUNC_START(fstate_restore)
	li	a2, SR_FS
	csrs	sstatus, a2
	EACH	fld
	ld	a1, FPU_fcsr(a0)
	fscsr	a1
	csrc	sstatus, a2
	ret
SYM_FUNC_END(fstate_restore)
