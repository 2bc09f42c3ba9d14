/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether an ELF file's headers say what can be loaded. */
#ifndef _FS_ELF_CHECK_H
#define _FS_ELF_CHECK_H

#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/string.h>

/* Where position-independent programs go: clear of heap, mmap and stack. */
#define ELF_ET_DYN_BASE	(TASK_SIZE / 3 * 2)

/* Nothing is mapped below: a NULL pointer and its members stay invalid. */
#define MMAP_MIN_ADDR	0x10000UL

/* Headers fit into a page. */
#define ELF_MAX_PHDRS	(PAGE_SIZE / sizeof(struct elf64_phdr))

/* A file on its way into an address space: a program, or its interpreter. */
struct elf_image {
	struct file		*file;
	struct elf64_hdr	ehdr;
	struct elf64_phdr	*phdrs;
};

static inline bool elf_check_header(const struct elf_image *image)
{
	const struct elf64_hdr *ehdr = &image->ehdr;

	return !memcmp(ehdr->e_ident, ELFMAG, SELFMAG) &&
	       ehdr->e_ident[EI_CLASS] == ELF_CLASS &&
	       ehdr->e_ident[EI_DATA] == ELF_DATA &&
	       ehdr->e_ident[EI_VERSION] == EV_CURRENT &&
	       ehdr->e_version == EV_CURRENT &&
	       (ehdr->e_type == ET_EXEC || ehdr->e_type == ET_DYN) &&
	       ehdr->e_machine == ELF_ARCH &&
	       ehdr->e_phentsize == sizeof(struct elf64_phdr) &&
	       ehdr->e_phnum >= 1 && ehdr->e_phnum <= ELF_MAX_PHDRS &&
	       ehdr->e_phoff <= (u64)MAX_LFS_FILESIZE - PAGE_SIZE &&
	       image->file->f_op->mmap;
}

/* Whether a segment can be mapped somewhere below @limit. */
static inline bool elf_check_segment(const struct elf64_phdr *phdr, u64 limit)
{
	return phdr->p_memsz && phdr->p_filesz <= phdr->p_memsz &&
	       phdr->p_memsz <= limit &&
	       phdr->p_vaddr <= limit - phdr->p_memsz &&
	       phdr->p_offset <= (u64)MAX_LFS_FILESIZE - TASK_SIZE &&
	       offset_in_page(phdr->p_vaddr) == offset_in_page(phdr->p_offset);
}

/*
 * Everything that can be wrong with a file is found here, while the old program
 * is still there to be told.
 */
static inline int elf_check_phdrs(const struct elf_image *image)
{
	bool dyn = image->ehdr.e_type == ET_DYN, loads = false;
	u64 limit = dyn ? TASK_SIZE - ELF_ET_DYN_BASE : TASK_SIZE;

	/* The stack needs its place at the top. */
	limit -= 2 * ARG_SIZE_LIMIT;
	for (int i = 0; i < image->ehdr.e_phnum; i++) {
		const struct elf64_phdr *phdr = &image->phdrs[i];

		if (phdr->p_type != PT_LOAD)
			continue;
		if (!elf_check_segment(phdr, limit) ||
		    (!dyn && phdr->p_vaddr < MMAP_MIN_ADDR))
			return -ENOEXEC;
		loads = true;
	}
	return loads && image->ehdr.e_entry < limit ? 0 : -ENOEXEC;
}

#endif
