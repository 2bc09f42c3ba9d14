/* SPDX-License-Identifier: GPL-2.0-only */
/* What is special about module files: relocations that need each other. */
#ifndef _ASM_MODULE_H
#define _ASM_MODULE_H

#define R_RISCV_PCREL_HI20	23
#define R_RISCV_PCREL_LO12_I	24
#define R_RISCV_PCREL_LO12_S	25

/*
 * An address is made by two instructions, of which the second names the place
 * of the first. 0: @type is not of the second.
 */
#define relocation_first_half(type)					\
	((type) == R_RISCV_PCREL_LO12_I ||				\
	 (type) == R_RISCV_PCREL_LO12_S ? R_RISCV_PCREL_HI20 : 0)

/* Labels for relocations, and marks of code and data, which stay in the file. */
#define is_mapping_symbol(name)						\
	((name)[0] == '$' || ((name)[0] == '.' && (name)[1] == 'L'))

#endif
