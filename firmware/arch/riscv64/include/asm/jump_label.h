/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_JUMP_LABEL_H
#define _ASM_JUMP_LABEL_H

/*
 * off	13 00 00 00	nop
 * on	jal zero, l_yes
 *
 * One aligned word, so that it is written at once.
 */
static __always_inline bool arch_static_branch(struct static_key *const key)
{
	asm goto(".option push\n"
		 ".option norvc\n"
		 ".balign 4\n"
		 "1:	nop\n"
		 ".option pop\n"
		 ".pushsection __jump_table, \"a\"\n"
		 ".balign 8\n"
		 ".dword 1b, %l[l_yes], %0\n"
		 ".popsection"
		 : : "i" (key) : : l_yes);
	return false;
l_yes:
	return true;
}

#endif
