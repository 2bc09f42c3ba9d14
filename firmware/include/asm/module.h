/* SPDX-License-Identifier: GPL-2.0-only */
/* What is special about module files: nothing. */
#ifndef _ASM_MODULE_H
#define _ASM_MODULE_H

/* 0: @type stands for itself. */
#define relocation_first_half(type)	0

/* No function or variable. */
#define is_mapping_symbol(name)		0

#endif
