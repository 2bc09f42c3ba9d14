/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions in assembly: sized and typed symbols. */
#ifndef _LINUX_LINKAGE_H
#define _LINUX_LINKAGE_H

#include <asm/linkage.h>

#define SYM_FUNC_START(name)	\
	.globl name;		\
	__ALIGN;		\
name:

#define SYM_FUNC_END(name)	\
	.type name, @function;	\
	.size name, . - name

/* How what sites call returns. */
#ifndef ASM_RET_TO_SITE
#define ASM_RET_TO_SITE		ASM_RET
#endif

/* A function that only returns. */
#define SYM_FUNC_RETURN(name)	\
	SYM_FUNC_START(name)	\
	ASM_RET;		\
	SYM_FUNC_END(name)

#endif
