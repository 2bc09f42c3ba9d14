/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_JUMP_LABEL_H
#define _ASM_JUMP_LABEL_H

/*
 * off	0f 1f 44 00 00	nopl 0(%rax,%rax)
 * on	e9 rel32	jmp l_yes
 */
#define JUMP_LABEL_NOP	".byte 0x0f, 0x1f, 0x44, 0x00, 0x00"
#define _ASM_PTR	".quad"

#endif
