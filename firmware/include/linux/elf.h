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

#define ET_REL		1
#define ET_EXEC		2
#define ET_DYN		3

#define PT_LOAD		1
#define PT_INTERP	3
#define PT_GNU_STACK	0x6474e551	/* its flags are the stack's */

#define PF_X		0x1
#define PF_W		0x2
#define PF_R		0x4

/* Sections, which only relocatable files need. */
#define SHT_NULL	0
#define SHT_PROGBITS	1
#define SHT_SYMTAB	2
#define SHT_STRTAB	3
#define SHT_RELA	4
#define SHT_NOBITS	8
#define SHT_REL		9

#define SHF_WRITE	0x1
#define SHF_ALLOC	0x2
#define SHF_EXECINSTR	0x4

#define SHN_UNDEF	0
#define SHN_LORESERVE	0xff00
#define SHN_ABS		0xfff1
#define SHN_COMMON	0xfff2

#define STB_LOCAL	0
#define STB_GLOBAL	1
#define STB_WEAK	2

#define STT_NOTYPE	0
#define STT_OBJECT	1
#define STT_FUNC	2
#define STT_SECTION	3
#define STT_FILE	4

#define ELF64_ST_BIND(info)	((info) >> 4)
#define ELF64_ST_TYPE(info)	((info) & 0xf)
#define ELF64_R_SYM(info)	((info) >> 32)
#define ELF64_R_TYPE(info)	((u32)(info))

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

struct elf64_shdr {
	u32		sh_name;
	u32		sh_type;
	u64		sh_flags;
	u64		sh_addr;
	u64		sh_offset;
	u64		sh_size;
	u32		sh_link;
	u32		sh_info;
	u64		sh_addralign;
	u64		sh_entsize;
};

struct elf64_sym {
	u32		st_name;
	unsigned char	st_info;
	unsigned char	st_other;
	u16		st_shndx;
	u64		st_value;
	u64		st_size;
};

struct elf64_rela {
	u64		r_offset;
	u64		r_info;
	s64		r_addend;
};

#endif
