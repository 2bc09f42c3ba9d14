/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_JUMP_LABEL_H
#define _ASM_JUMP_LABEL_H

/*
 * off	0f 1f 44 00 00	nopl 0(%rax,%rax)
 * on	e9 rel32	jmp l_yes
 */
static __always_inline bool arch_static_branch(struct static_key *const key)
{
	asm goto("1:	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
		 ".pushsection __jump_table, \"a\"\n"
		 ".balign 8\n"
		 ".quad 1b, %l[l_yes], %c0\n"
		 ".popsection"
		 : : "i" (key) : : l_yes);
	return false;
l_yes:
	return true;
}

#endif
