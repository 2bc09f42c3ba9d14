/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF: the headers of 64-bit programs. */
#ifndef _UAPI_LINUX_ELF_H
#define _UAPI_LINUX_ELF_H

#include <asm/elf.h>

#define EI_CLASS	4
#define EI_DATA		5
#define EI_VERSION	6
#define EI_NIDENT	16

#define ELFMAG		"\177ELF"
#define SELFMAG		4
#define ELFCLASS32	1
#define ELFCLASS64	2
#define ELFDATA2LSB	1
#define ELFDATA2MSB	2
#define EV_CURRENT	1

/* Which files are for this machine; ELF_ARCH says more. */
#define ELF_CLASS	ELFCLASS64
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ELF_DATA	ELFDATA2LSB
#else
#define ELF_DATA	ELFDATA2MSB
#endif

/* AT_HWCAP: extensions of the CPU, where programs learn of them in this way. */
#ifndef ELF_HWCAP
#define ELF_HWCAP	0UL
#endif

#define ET_REL		1
#define ET_EXEC		2
#define ET_DYN		3
#define ET_CORE		4

#define PT_LOAD		1
#define PT_INTERP	3
#define PT_GNU_STACK	0x6474e551	/* its flags are the stack's */
#define PT_GNU_PROPERTY	0x6474e553	/* what it needs of the CPU */

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
#define ELF64_R_TYPE(info)	((unsigned int)(info))

struct elf64_hdr {
	unsigned char		e_ident[EI_NIDENT];
	unsigned short		e_type;
	unsigned short		e_machine;
	unsigned int		e_version;
	unsigned long long	e_entry;
	unsigned long long	e_phoff;
	unsigned long long	e_shoff;
	unsigned int		e_flags;
	unsigned short		e_ehsize;
	unsigned short		e_phentsize;
	unsigned short		e_phnum;
	unsigned short		e_shentsize;
	unsigned short		e_shnum;
	unsigned short		e_shstrndx;
};

struct elf64_phdr {
	unsigned int		p_type;
	unsigned int		p_flags;
	unsigned long long	p_offset;
	unsigned long long	p_vaddr;
	unsigned long long	p_paddr;
	unsigned long long	p_filesz;
	unsigned long long	p_memsz;
	unsigned long long	p_align;
};

struct elf64_nhdr {
	unsigned int		n_namesz;
	unsigned int		n_descsz;
	unsigned int		n_type;
};

#define NT_GNU_PROPERTY_TYPE_0	5	/* of the owner "GNU" */

/* In that note's descriptor; its data follows, up to a multiple of 8 bytes. */
struct elf64_property {
	unsigned int		pr_type;
	unsigned int		pr_datasz;
};

struct elf64_shdr {
	unsigned int		sh_name;
	unsigned int		sh_type;
	unsigned long long	sh_flags;
	unsigned long long	sh_addr;
	unsigned long long	sh_offset;
	unsigned long long	sh_size;
	unsigned int		sh_link;
	unsigned int		sh_info;
	unsigned long long	sh_addralign;
	unsigned long long	sh_entsize;
};

struct elf64_sym {
	unsigned int		st_name;
	unsigned char		st_info;
	unsigned char		st_other;
	unsigned short		st_shndx;
	unsigned long long	st_value;
	unsigned long long	st_size;
};

struct elf64_rela {
	unsigned long long	r_offset;
	unsigned long long	r_info;
	long long		r_addend;
};

#endif
