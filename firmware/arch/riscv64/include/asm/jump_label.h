/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_JUMP_LABEL_H
#define _ASM_JUMP_LABEL_H

/*
 * off	13 00 00 00	nop
 * on	jal zero, l_yes
 *
 * One aligned word, so that it is written at once.
 */
#define JUMP_LABEL_ALIGN ".balign 4\n"
#define JUMP_LABEL_NOP	".option push\n.option norvc\nnop\n.option pop"
#define JUMP_LABEL_KEY	"%0"
#define _ASM_PTR	".dword"

#endif
