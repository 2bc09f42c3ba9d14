/* SPDX-License-Identifier: GPL-2.0-only */
/* What an ELF program finds on its stack. */
#ifndef _FS_ELF_TABLES_H
#define _FS_ELF_TABLES_H

#include <linux/types.h>

struct linux_binprm;

/* Addresses in the program, for its auxiliary vector. */
struct elf_info {
	unsigned long	entry;		/* the program's own */
	unsigned long	base;		/* the interpreter's; 0: there is none */
	unsigned long	phdr_addr;
	unsigned int	phnum;
	/* Found while the stack is built: */
	unsigned long	platform;
	unsigned long	random;
	unsigned long	execfn;
};

/* Leaves bprm->p at argc; the strings are above it already. */
int create_elf_tables(struct linux_binprm *bprm, struct elf_info *info);

#endif
