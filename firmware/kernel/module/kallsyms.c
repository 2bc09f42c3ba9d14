/* SPDX-License-Identifier: GPL-2.0-only */
/* The symbols of modules, for those who show addresses as names. */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/moduleloader.h>
#include <linux/string.h>
#include "internal.h"

/* Worth keeping when init is over. */
static bool is_core_symbol(const struct load_info *info,
			   const struct elf64_sym *sym)
{
	unsigned int type = ELF64_ST_TYPE(sym->st_info);
	const struct elf64_shdr *s;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= info->hdr->e_shnum ||
	    !info->strtab[sym->st_name] || type == STT_SECTION ||
	    type == STT_FILE || is_mapping_symbol(info->strtab + sym->st_name))
		return false;
	s = &info->sechdrs[sym->st_shndx];
	return s->sh_flags & SHF_ALLOC && !(s->sh_entsize & INIT_OFFSET_MASK);
}

/* Room at the end of the core part for the symbols that stay. */
void layout_symtab(struct module *mod, struct load_info *info)
{
	const struct elf64_shdr *s = &info->sechdrs[info->index.sym];
	const struct elf64_sym *sym = (void *)info->hdr + s->sh_offset;
	unsigned long nsyms = s->sh_size / sizeof(*sym), i;
	unsigned long num = 1, strings = 1;
	u64 limit = info->sechdrs[info->index.str].sh_size;

	for (i = 1; i < nsyms; i++) {
		if (sym[i].st_name >= limit || !is_core_symbol(info, &sym[i]))
			continue;
		num++;
		strings += strlen(info->strtab + sym[i].st_name) + 1;
	}
	/* A string may stand for many symbols: the sum is not the file's. */
	strings = min_t(unsigned long, strings, MODULE_FILE_MAX);
	info->core_syms = ALIGN((unsigned long)mod->core_layout.size,
				MODULE_SECTION_ALIGN);
	info->core_strs = info->core_syms + num * sizeof(*sym);
	mod->core_layout.size = info->core_strs + strings;
	mod->core_kallsyms.strtab_size = strings;
}

/* Once symbols have their values: names are known to be within strtab. */
void add_kallsyms(struct module *mod, const struct load_info *info)
{
	const struct elf64_shdr *sym = &info->sechdrs[info->index.sym];
	const struct elf64_shdr *str = &info->sechdrs[info->index.str];
	struct mod_kallsyms *all = &mod->init_kallsyms;
	struct mod_kallsyms *core = &mod->core_kallsyms;
	unsigned int i, used = 1;

	*all = (struct mod_kallsyms){
		.symtab = (void *)sym->sh_addr,
		.num_symtab = sym->sh_size / sizeof(struct elf64_sym),
		.strtab = (char *)str->sh_addr,
		.strtab_size = str->sh_size,
	};
	core->symtab = mod->core_layout.base + info->core_syms;
	core->strtab = mod->core_layout.base + info->core_strs;
	core->num_symtab = 1;
	for (i = 1; i < all->num_symtab; i++) {
		const char *name = all->strtab + all->symtab[i].st_name;
		unsigned int size = strlen(name) + 1;

		if (is_mapping_symbol(name)) {
			all->symtab[i].st_name = 0;
			continue;
		}
		if (!is_core_symbol(info, &all->symtab[i]) ||
		    used + size > core->strtab_size)
			continue;
		core->symtab[core->num_symtab] = all->symtab[i];
		core->symtab[core->num_symtab++].st_name = used;
		memcpy(core->strtab + used, name, size);
		used += size;
	}
	mod->kallsyms = all;
}

/* As nm has it, from the section's flags; global ones in capitals. */
static char symbol_type(const struct module *mod, const struct elf64_sym *sym)
{
	unsigned long core = sym->st_value -
			     (unsigned long)mod->core_layout.base;
	unsigned long init = sym->st_value -
			     (unsigned long)mod->init_layout.base;
	char type = 'd';

	if (core < mod->core_layout.text_size ||
	    init < mod->init_layout.text_size)
		type = 't';
	if (ELF64_ST_BIND(sym->st_info) == STB_GLOBAL)
		type -= 'a' - 'A';
	return type;
}

int module_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *name, char *module_name)
{
	struct module *mod;
	int err = -ERANGE;

	mutex_lock(&module_mutex);
	list_for_each_entry(mod, &modules, list) {
		const struct mod_kallsyms *k = mod->kallsyms;

		if (mod->state == MODULE_STATE_UNFORMED || !k)
			continue;
		if (symnum < k->num_symtab - 1) {
			const struct elf64_sym *sym = &k->symtab[symnum + 1];

			*value = sym->st_value;
			*type = symbol_type(mod, sym);
			strscpy(name, k->strtab + sym->st_name, KSYM_NAME_LEN);
			strscpy(module_name, mod->name, MODULE_NAME_LEN);
			err = 0;
			break;
		}
		symnum -= k->num_symtab - 1;
	}
	mutex_unlock(&module_mutex);
	return err;
}

static unsigned long symbol_value(const struct module *mod, const char *name)
{
	const struct mod_kallsyms *k = mod->kallsyms;

	for (unsigned int i = 1; i < k->num_symtab; i++)
		if (!strcmp(k->strtab + k->symtab[i].st_name, name))
			return k->symtab[i].st_value;
	return 0;
}

unsigned long module_kallsyms_lookup_name(const char *name)
{
	const char *colon = strchr(name, ':');
	size_t len = colon ? colon - name : 0;
	unsigned long addr = 0;
	struct module *mod;

	mutex_lock(&module_mutex);
	list_for_each_entry(mod, &modules, list) {
		if (mod->state == MODULE_STATE_UNFORMED || !mod->kallsyms ||
		    (colon && (strncmp(mod->name, name, len) ||
			       mod->name[len])))
			continue;
		addr = symbol_value(mod, colon ? colon + 1 : name);
		if (addr)
			break;
	}
	mutex_unlock(&module_mutex);
	return addr;
}

/* Where what begins at @layout ends that has @addr in it: code, or data. */
static unsigned long part_end(const struct module_layout *layout,
			      unsigned long addr)
{
	unsigned long base = (unsigned long)layout->base;

	return base + (addr < base + layout->text_size ? layout->text_size :
							 layout->size);
}

/* The last symbol that begins at @addr or before; it reaches to the next. */
static bool find_kallsyms_symbol(const struct module *mod, unsigned long addr,
				 struct kallsyms_place *place)
{
	const struct mod_kallsyms *k = mod->kallsyms;
	const struct elf64_sym *best = NULL;
	unsigned long next;

	next = part_end(within_module_core(mod, addr) ? &mod->core_layout :
							&mod->init_layout, addr);
	for (unsigned int i = 1; i < k->num_symtab; i++) {
		const struct elf64_sym *sym = &k->symtab[i];

		if (!k->strtab[sym->st_name])
			continue;
		if (sym->st_value > addr)
			next = min_t(unsigned long, next, sym->st_value);
		else if (!best || sym->st_value > best->st_value)
			best = sym;
	}
	if (!best || !(within_module_core(mod, best->st_value) ||
		       within_module_init(mod, best->st_value)))
		return false;
	strscpy(place->name, k->strtab + best->st_name, sizeof(place->name));
	strscpy(place->module_name, mod->name, sizeof(place->module_name));
	place->offset = addr - best->st_value;
	place->size = next - best->st_value;
	return true;
}

bool module_address_lookup(unsigned long addr, struct kallsyms_place *place)
{
	struct module *mod;
	bool found = false;

	mutex_lock(&module_mutex);
	list_for_each_entry(mod, &modules, list) {
		if (mod->state == MODULE_STATE_UNFORMED || !mod->kallsyms ||
		    (!within_module_core(mod, addr) &&
		     !within_module_init(mod, addr)))
			continue;
		found = find_kallsyms_symbol(mod, addr, place);
		break;
	}
	mutex_unlock(&module_mutex);
	return found;
}
