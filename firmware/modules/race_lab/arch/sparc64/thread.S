/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU's thread: the shortest way to a site and back. */
#include <linux/linkage.h>
#include <asm-offsets.h>

	.text

SYM_FUNC_START(race_lab_thread)
	save	%sp, -STACKFRAME_SZ, %sp
	ba,pt	%xcc, race_lab_home
	 nop
SYM_FUNC_END(race_lab_thread)

/* i0: struct race_lab_cpu. */
SYM_FUNC_START(race_lab_home)
	ldx	[%i0 + RACE_LAB_visit], %g1
	call	%g1
	 nop
	ba,pt	%xcc, race_lab_home
	 nop
SYM_FUNC_END(race_lab_home)
