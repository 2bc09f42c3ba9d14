/* SPDX-License-Identifier: GPL-2.0-only */
/* A module's file: is it well formed, and where is what in it. */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "internal.h"

static const char *section_name(const struct load_info *info, unsigned int i)
{
	return info->secstrings + info->sechdrs[i].sh_name;
}

/* Strings that end within their section. */
static bool valid_strings(const struct load_info *info, unsigned int i)
{
	const struct elf64_shdr *s = &info->sechdrs[i];

	return s->sh_type == SHT_STRTAB && s->sh_size &&
	       !((char *)info->hdr)[s->sh_offset + s->sh_size - 1];
}

static bool valid_header(const struct load_info *info)
{
	const struct elf64_hdr *hdr = info->hdr;

	return info->len >= sizeof(*hdr) &&
	       !memcmp(hdr->e_ident, ELFMAG, SELFMAG) &&
	       hdr->e_ident[EI_CLASS] == ELF_CLASS &&
	       hdr->e_ident[EI_DATA] == ELF_DATA &&
	       hdr->e_type == ET_REL && hdr->e_machine == ELF_ARCH &&
	       hdr->e_shentsize == sizeof(struct elf64_shdr) &&
	       hdr->e_shoff % sizeof(u64) == 0 && hdr->e_shoff < info->len &&
	       hdr->e_shnum && hdr->e_shnum < SHN_LORESERVE &&
	       hdr->e_shnum * sizeof(struct elf64_shdr) <=
	       info->len - hdr->e_shoff;
}

static bool valid_section(const struct load_info *info, unsigned int i)
{
	const struct elf64_shdr *s = &info->sechdrs[i];
	size_t entry = 1;

	if (s->sh_addralign & (s->sh_addralign - 1) ||
	    s->sh_addralign > PAGE_SIZE)
		return false;
	if (s->sh_type == SHT_NOBITS)
		return true;
	if (s->sh_offset > info->len || s->sh_size > info->len - s->sh_offset)
		return false;
	if (s->sh_type == SHT_SYMTAB)
		entry = sizeof(struct elf64_sym);
	if (s->sh_type == SHT_RELA)
		entry = sizeof(struct elf64_rela);
	/* These are read where they lie. */
	return entry == 1 || (s->sh_size % entry == 0 &&
			      s->sh_entsize == entry &&
			      s->sh_offset % sizeof(u64) == 0);
}

/* Nothing may lie outside the file, or where it cannot be read. */
int elf_validity_check(struct load_info *info)
{
	const struct elf64_shdr *strings;
	unsigned int i;

	if (!valid_header(info))
		return -ENOEXEC;
	info->sechdrs = (void *)info->hdr + info->hdr->e_shoff;
	if (info->sechdrs[0].sh_type != SHT_NULL || info->sechdrs[0].sh_size ||
	    info->sechdrs[0].sh_addr)
		return -ENOEXEC;
	for (i = 1; i < info->hdr->e_shnum; i++)
		if (info->sechdrs[i].sh_type != SHT_NULL &&
		    !valid_section(info, i))
			return -ENOEXEC;

	if (info->hdr->e_shstrndx >= info->hdr->e_shnum ||
	    !valid_strings(info, info->hdr->e_shstrndx))
		return -ENOEXEC;
	strings = &info->sechdrs[info->hdr->e_shstrndx];
	info->secstrings = (char *)info->hdr + strings->sh_offset;
	for (i = 0; i < info->hdr->e_shnum; i++)
		if (info->sechdrs[i].sh_name >= strings->sh_size)
			return -ENOEXEC;
	return 0;
}

/* Of those that are loaded; 0 if there is none. */
unsigned int find_sec(const struct load_info *info, const char *name)
{
	unsigned int i;

	for (i = 1; i < info->hdr->e_shnum; i++)
		if (info->sechdrs[i].sh_flags & SHF_ALLOC &&
		    !strcmp(section_name(info, i), name))
			return i;
	return 0;
}

/* A section that is an array; its address and how many elements it has. */
void *section_objs(const struct load_info *info, const char *name,
		   size_t object_size, unsigned int *num)
{
	unsigned int i = find_sec(info, name);

	if (!i) {
		*num = 0;
		return NULL;
	}
	*num = info->sechdrs[i].sh_size / object_size;
	return (void *)info->sechdrs[i].sh_addr;
}

/* The symbol table and the strings that belong to it. */
static int find_symtab(struct load_info *info)
{
	const struct elf64_shdr *sym;
	unsigned int i;

	for (i = 1; i < info->hdr->e_shnum; i++) {
		if (info->sechdrs[i].sh_type != SHT_SYMTAB)
			continue;
		if (info->index.sym)
			return -ENOEXEC;
		info->index.sym = i;
	}
	if (!info->index.sym) {
		pr_warn("module has no symbols (stripped?)\n");
		return -ENOEXEC;
	}
	sym = &info->sechdrs[info->index.sym];
	if (sym->sh_link >= info->hdr->e_shnum || !sym->sh_size ||
	    sym->sh_flags & SHF_ALLOC || !valid_strings(info, sym->sh_link) ||
	    info->sechdrs[sym->sh_link].sh_flags & SHF_ALLOC)
		return -ENOEXEC;
	info->index.str = sym->sh_link;
	info->strtab = (char *)info->hdr +
		       info->sechdrs[info->index.str].sh_offset;
	return 0;
}

/* A name that can stand in a list of names. */
static bool valid_name(const char *name)
{
	const char *p;

	for (p = name; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '/')
			return false;
	return p > name && p - name < (long)MODULE_NAME_LEN;
}

int setup_load_info(struct load_info *info)
{
	const struct elf64_shdr *mod;
	int err = find_symtab(info);
	unsigned int i;

	if (err)
		return err;
	for (i = 1; i < info->hdr->e_shnum; i++)
		if (!strcmp(section_name(info, i), ".modinfo"))
			info->index.info = i;
	info->index.mod = find_sec(info, ".gnu.linkonce.this_module");
	if (!info->index.mod) {
		pr_warn("no module found in object\n");
		return -ENOEXEC;
	}
	mod = &info->sechdrs[info->index.mod];
	if (mod->sh_type != SHT_PROGBITS ||
	    mod->sh_size != sizeof(struct module))
		return -ENOEXEC;
	info->name = get_modinfo(info, "name");
	return info->name && valid_name(info->name) ? 0 : -ENOEXEC;
}

/*
 * Sections are known by their addresses from here on: in the file, until they
 * have places of their own.
 */
void rewrite_section_headers(struct load_info *info)
{
	unsigned int i;

	info->sechdrs[0].sh_addr = 0;
	for (i = 1; i < info->hdr->e_shnum; i++) {
		struct elf64_shdr *s = &info->sechdrs[i];

		if (s->sh_type == SHT_NULL)
			s->sh_size = s->sh_flags = 0;
		s->sh_addr = (unsigned long)info->hdr +
			     (s->sh_type == SHT_NOBITS ? 0 : s->sh_offset);
	}
	/* Read from the file only. */
	info->sechdrs[info->index.info].sh_flags &= ~(u64)SHF_ALLOC;
}
