/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions in assembly: sized and typed symbols. */
#ifndef _ASM_LINKAGE_H
#define _ASM_LINKAGE_H

#define SYM_FUNC_START(name)	\
	.globl name;		\
	.balign 4;		\
name:

#define SYM_FUNC_END(name)	\
	.type name, @function;	\
	.size name, . - name

#endif
