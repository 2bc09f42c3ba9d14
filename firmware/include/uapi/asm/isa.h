/* SPDX-License-Identifier: GPL-2.0-only */
/* What a program may need of the CPU: nothing that not every CPU has. */
#ifndef _UAPI_ASM_ISA_H
#define _UAPI_ASM_ISA_H

static inline const char *arch_elf_property_error(unsigned int type,
						  unsigned int value)
{
	return 0;
}

#endif
