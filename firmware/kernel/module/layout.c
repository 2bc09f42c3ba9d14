/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a module's sections go: what stays, and what only its init needs. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleloader.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "internal.h"

bool module_init_section(const char *name)
{
	return !strncmp(name, ".init", 5);
}

/* Room for a section at the end of a part; its offset. */
static int get_offset(struct module_layout *layout, struct elf64_shdr *s,
		      unsigned long mask)
{
	unsigned long align = max_t(unsigned long, s->sh_addralign,
				    MODULE_SECTION_ALIGN);
	unsigned long offset = ALIGN((unsigned long)layout->size, align);

	if (s->sh_size > MODULE_FILE_MAX ||
	    offset + s->sh_size > MODULE_FILE_MAX)
		return -ENOEXEC;
	s->sh_entsize = offset | mask;
	layout->size = offset + s->sh_size;
	return 0;
}

/* Executable code first, then what is only read, then data. */
static int layout_part(struct module_layout *layout, struct load_info *info,
		       bool init)
{
	static const unsigned long masks[][2] = {
		{ SHF_EXECINSTR | SHF_ALLOC, 0 },
		{ SHF_ALLOC, SHF_EXECINSTR | SHF_WRITE },
		{ SHF_WRITE | SHF_ALLOC, SHF_EXECINSTR },
	};
	unsigned int m, i;

	for (m = 0; m < ARRAY_SIZE(masks); m++) {
		for (i = 1; i < info->hdr->e_shnum; i++) {
			struct elf64_shdr *s = &info->sechdrs[i];
			const char *name = info->secstrings + s->sh_name;
			bool is_init = module_init_section(name) ||
				       i == info->index.mod;

			if ((s->sh_flags & masks[m][0]) != masks[m][0] ||
			    s->sh_flags & masks[m][1] || is_init != init)
				continue;
			if (get_offset(layout, s, init ? INIT_OFFSET_MASK : 0))
				return -ENOEXEC;
		}
		layout->size = PAGE_ALIGN(layout->size);
		if (m == 0)
			layout->text_size = layout->size;
		if (m == 1)
			layout->ro_size = layout->size;
	}
	return 0;
}

/* The symbols stay as long as there is init code that they may name. */
static int layout_sections(struct module *mod, struct load_info *info)
{
	struct elf64_shdr *sym = &info->sechdrs[info->index.sym];
	struct elf64_shdr *str = &info->sechdrs[info->index.str];

	if (layout_part(&mod->core_layout, info, false) ||
	    layout_part(&mod->init_layout, info, true) ||
	    get_offset(&mod->init_layout, sym, INIT_OFFSET_MASK) ||
	    get_offset(&mod->init_layout, str, INIT_OFFSET_MASK))
		return -ENOEXEC;
	sym->sh_flags |= SHF_ALLOC;
	str->sh_flags |= SHF_ALLOC;
	layout_symtab(mod, info);
	mod->init_layout.size = PAGE_ALIGN(mod->init_layout.size);
	mod->core_layout.size = PAGE_ALIGN(mod->core_layout.size);
	return mod->core_layout.size > MODULE_FILE_MAX ||
	       mod->init_layout.size > MODULE_FILE_MAX ? -ENOEXEC : 0;
}

/* Copies the sections to where they stay. */
static int move_module(struct module *mod, struct load_info *info)
{
	unsigned int i;

	if (mod->core_layout.size) {
		mod->core_layout.base = module_alloc(mod->core_layout.size);
		if (!mod->core_layout.base)
			return -ENOMEM;
	}
	mod->init_layout.base = module_alloc(mod->init_layout.size);
	if (!mod->init_layout.base)
		return -ENOMEM;
	for (i = 1; i < info->hdr->e_shnum; i++) {
		struct elf64_shdr *s = &info->sechdrs[i];
		unsigned long offset = s->sh_entsize & ~INIT_OFFSET_MASK;
		void *dest;

		if (!(s->sh_flags & SHF_ALLOC))
			continue;
		if (s->sh_entsize & INIT_OFFSET_MASK)
			dest = mod->init_layout.base + offset;
		else
			dest = mod->core_layout.base + offset;
		if (s->sh_type != SHT_NOBITS)
			memcpy(dest, (void *)s->sh_addr, s->sh_size);
		s->sh_addr = (unsigned long)dest;
	}
	return 0;
}

void module_deallocate(struct module *mod)
{
	module_memfree(mod->init_layout.base);
	module_memfree(mod->core_layout.base);
	kfree(mod);
}

int layout_and_allocate(struct module *mod, struct load_info *info)
{
	int err = check_modinfo(mod, info);

	if (!err)
		err = module_enforce_rwx_sections(info);
	if (!err)
		err = layout_sections(mod, info);
	return err ? err : move_module(mod, info);
}
