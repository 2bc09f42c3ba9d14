/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF: the headers of 64-bit programs. */
#ifndef _LINUX_ELF_H
#define _LINUX_ELF_H

#include <linux/types.h>
#include <asm/elf.h>

#define EI_CLASS	4
#define EI_DATA		5
#define EI_VERSION	6
#define EI_NIDENT	16

#define ELFMAG		"\177ELF"
#define SELFMAG		4
#define EV_CURRENT	1

#define ET_EXEC		2
#define ET_DYN		3

#define PT_LOAD		1
#define PT_INTERP	3

#define PF_X		0x1
#define PF_W		0x2
#define PF_R		0x4

struct elf64_hdr {
	unsigned char	e_ident[EI_NIDENT];
	u16		e_type;
	u16		e_machine;
	u32		e_version;
	u64		e_entry;
	u64		e_phoff;
	u64		e_shoff;
	u32		e_flags;
	u16		e_ehsize;
	u16		e_phentsize;
	u16		e_phnum;
	u16		e_shentsize;
	u16		e_shnum;
	u16		e_shstrndx;
};

struct elf64_phdr {
	u32		p_type;
	u32		p_flags;
	u64		p_offset;
	u64		p_vaddr;
	u64		p_paddr;
	u64		p_filesz;
	u64		p_memsz;
	u64		p_align;
};

#endif
