/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU's thread: the shortest way to a site and back. */
#include <linux/linkage.h>
#include <asm-offsets.h>

	.text

SYM_FUNC_START(race_lab_thread)
	push	%rbp
	mov	%rsp, %rbp
	mov	%rdi, %rbx
	jmp	race_lab_home
SYM_FUNC_END(race_lab_thread)

/* rbx: struct race_lab_cpu. */
SYM_FUNC_START(race_lab_home)
	call	*RACE_LAB_visit(%rbx)
	jmp	race_lab_home
SYM_FUNC_END(race_lab_home)
