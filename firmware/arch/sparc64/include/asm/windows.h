/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving and clearing register windows, for assembly. */
#ifndef _ASM_WINDOWS_H
#define _ASM_WINDOWS_H

/* Stores or loads the 16 registers of a window. */
.macro WINDOW op, base, asi=
	.set	i, 0
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	WINDOW_\op %l\n, \base, i, \asi
	WINDOW_\op %i\n, \base, i+64, \asi
	.set	i, i + 8
	.endr
.endm

.macro WINDOW_stx reg, base, offset, asi
	stx	\reg, [\base + \offset]
.endm

.macro WINDOW_ldx reg, base, offset, asi
	ldx	[\base + \offset], \reg
.endm

.macro WINDOW_stxa reg, base, offset, asi
	stxa	\reg, [\base + \offset] %asi
.endm

.macro WINDOW_ldxa reg, base, offset, asi
	ldxa	[\base + \offset] %asi, \reg
.endm

/* No program shall see what the kernel had in a window. */
.macro CLEAR_WINDOW
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	clr	%l\n
	clr	%o\n
	.endr
.endm

#endif
