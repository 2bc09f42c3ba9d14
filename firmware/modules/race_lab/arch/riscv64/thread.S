/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU's thread: the shortest way to a site and back. */
#include <linux/linkage.h>
#include <asm-offsets.h>

	.text

SYM_FUNC_START(race_lab_thread)
	addi	sp, sp, -16
	sd	ra, 8(sp)
	sd	s0, (sp)
	addi	s0, sp, 16
	mv	s1, a0
	j	race_lab_home
SYM_FUNC_END(race_lab_thread)

/* s1: struct race_lab_cpu. */
SYM_FUNC_START(race_lab_home)
	ld	t1, RACE_LAB_visit(s1)
	jalr	t1
	j	race_lab_home
SYM_FUNC_END(race_lab_home)
