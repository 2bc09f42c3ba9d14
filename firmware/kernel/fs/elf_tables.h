/* SPDX-License-Identifier: GPL-2.0-only */
/* What an ELF program finds on its stack. */
#ifndef _FS_ELF_TABLES_H
#define _FS_ELF_TABLES_H

struct elf64_hdr;
struct linux_binprm;

/* Leaves bprm->p at argc; the strings are there already. */
int create_elf_tables(struct linux_binprm *bprm, const struct elf64_hdr *ehdr,
		      unsigned long phdr_addr, unsigned long entry);

#endif
