/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies to and from user memory that end early where memory ends. SUM is always set. */
#include <linux/linkage.h>

/* Going on at fixup when insn faults. */
.macro EXTABLE insn, fixup
	.pushsection __ex_table, "a"
	.balign 4
	.long	\insn - .
	.long	\fixup - .
	.popsection
.endm

	.text

/*
 * copy_user_generic(to, from, n): words, then bytes. A fault in a word is
 * retried byte by byte, so that all that can be copied is. Returns what is
 * left. An access may be unaligned.
 */
SYM_FUNC_START(copy_user_generic)
	li	t1, 32
	bltu	a2, t1, 2f
1:
10:	ld	t2, (a1)
11:	ld	t3, 8(a1)
12:	ld	t4, 16(a1)
13:	ld	t5, 24(a1)
14:	sd	t2, (a0)
15:	sd	t3, 8(a0)
16:	sd	t4, 16(a0)
17:	sd	t5, 24(a0)
	addi	a1, a1, 32
	addi	a0, a0, 32
	addi	a2, a2, -32
	bgeu	a2, t1, 1b
2:	beqz	a2, 6f
5:
40:	lbu	t2, (a1)
41:	sb	t2, (a0)
	addi	a1, a1, 1
	addi	a0, a0, 1
	addi	a2, a2, -1
	bnez	a2, 5b
6:	mv	a0, a2
	ret

	.irp	n, 10, 11, 12, 13, 14, 15, 16, 17
	EXTABLE	\n\()b, 5b
	.endr
	EXTABLE	40b, 6b
	EXTABLE	41b, 6b
SYM_FUNC_END(copy_user_generic)

/* clear_user_generic(to, n): returns how many bytes are left. */
SYM_FUNC_START(clear_user_generic)
	li	t1, 8
	bltu	a1, t1, 2f
1:
10:	sd	zero, (a0)
	addi	a0, a0, 8
	addi	a1, a1, -8
	bgeu	a1, t1, 1b
2:	beqz	a1, 4f
3:
11:	sb	zero, (a0)
	addi	a0, a0, 1
	addi	a1, a1, -1
	bnez	a1, 3b
4:	mv	a0, a1
	ret

	EXTABLE	10b, 3b
	EXTABLE	11b, 4b
SYM_FUNC_END(clear_user_generic)
