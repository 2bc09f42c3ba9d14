/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_JUMP_LABEL_H
#define _ASM_JUMP_LABEL_H

#ifdef __ASSEMBLY__

/* As below. */
.macro STATIC_BRANCH key, l_yes
#ifndef NO_STATIC_KEYS
661:	nop
	.pushsection __jump_table, "a"
	.balign	8
	.xword	661b, \l_yes, \key
	.popsection
#endif
.endm

#else

/*
 * off	01 00 00 00	nop
 * on	30 68 disp	ba,a,pt %xcc, l_yes
 *
 * The branch annuls its delay slot, so that a key costs one word.
 */
#define JUMP_LABEL_NOP	"nop"
#define _ASM_PTR	".xword"

#endif
#endif
