/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols: what a module needs, what it offers, and what then is relocated. */
#include <linux/kernel.h>
#include <linux/moduleloader.h>
#include <linux/string.h>
#include "internal.h"

extern const struct kernel_symbol __start___ksymtab[], __stop___ksymtab[];
extern const struct kernel_symbol __start___ksymtab_gpl[],
	__stop___ksymtab_gpl[];

/* A table is in order of names. */
static bool find_in_table(const struct kernel_symbol *start, unsigned int num,
			  bool gplonly, struct module *owner,
			  struct find_symbol_arg *fsa)
{
	unsigned int low = 0, high = num;

	if (gplonly && !fsa->gplok)
		return false;
	while (low < high) {
		unsigned int middle = (low + high) / 2;
		int order = strcmp(fsa->name, start[middle].name);

		if (!order) {
			fsa->sym = start + middle;
			fsa->owner = owner;
			fsa->gplonly = gplonly;
			return true;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

/* With module_mutex held. */
bool find_symbol(struct find_symbol_arg *fsa)
{
	struct module *mod;

	if (find_in_table(__start___ksymtab,
			  __stop___ksymtab - __start___ksymtab, false, NULL,
			  fsa) ||
	    find_in_table(__start___ksymtab_gpl,
			  __stop___ksymtab_gpl - __start___ksymtab_gpl, true,
			  NULL, fsa))
		return true;
	list_for_each_entry(mod, &modules, list) {
		if (mod->state == MODULE_STATE_UNFORMED)
			continue;
		if (find_in_table(mod->syms, mod->num_syms, false, mod, fsa) ||
		    find_in_table(mod->gpl_syms, mod->num_gpl_syms, true, mod,
				  fsa))
			return true;
	}
	return false;
}

/* A string that a relocated pointer leads to ends within the module. */
static bool module_string(const struct module *mod, const char *s)
{
	const char *end = mod->core_layout.base + mod->core_layout.size;

	return within_module_core(mod, (unsigned long)s) &&
	       strnlen(s, end - s) < (size_t)(end - s);
}

static int verify_table(struct module *mod, const struct kernel_symbol *table,
			unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		struct find_symbol_arg fsa = { .gplok = true };

		if (!module_string(mod, table[i].name))
			return -ENOEXEC;
		fsa.name = table[i].name;
		if (!find_symbol(&fsa))
			continue;
		pr_err("%s: exports duplicate symbol %s (owned by %s)\n",
		       mod->name, fsa.name,
		       fsa.owner ? fsa.owner->name : "kernel");
		return -ENOEXEC;
	}
	return 0;
}

/* Parameters lead to what is the module's own, and to what sets them. */
int verify_params(const struct module *mod)
{
	extern const char __start_rodata[], __end_rodata[];
	unsigned int i;

	for (i = 0; i < mod->num_kp; i++) {
		const char *ops = (const char *)mod->kp[i].ops;

		if (!module_string(mod, mod->kp[i].name) ||
		    !within_module_core(mod, (unsigned long)mod->kp[i].arg) ||
		    (unsigned long)ops % sizeof(long) ||
		    ((ops < __start_rodata || ops >= __end_rodata) &&
		     !within_module_core(mod, (unsigned long)ops)))
			return -ENOEXEC;
	}
	return 0;
}

/* Nobody else may have them. With module_mutex held. */
int verify_exported_symbols(struct module *mod)
{
	int err = verify_table(mod, mod->syms, mod->num_syms);

	return err ? err : verify_table(mod, mod->gpl_syms, mod->num_gpl_syms);
}

/* The module that has it is used from here on. */
static int resolve_symbol(struct module *mod, const char *name,
			  unsigned long *value)
{
	struct find_symbol_arg fsa = {
		.name = name,
		.gplok = !(mod->taints & 1u << TAINT_PROPRIETARY_MODULE),
	};
	int err = -ENOENT;

	mutex_lock(&module_mutex);
	if (find_symbol(&fsa)) {
		err = ref_module(mod, fsa.owner);
		*value = fsa.sym->value;
		mod->using_gplonly_symbols |= fsa.gplonly;
	}
	mutex_unlock(&module_mutex);
	return err;
}

/* A module whose init is still running may be ready soon. */
static int resolve_symbol_wait(struct module *mod, const char *name,
			       unsigned long *value)
{
	int err;

	if (wait_event_interruptible(module_wq,
				     (err = resolve_symbol(mod, name, value)) !=
				     -EBUSY))
		err = -EINTR;
	return err;
}

/* Gives every symbol its address. */
int simplify_symbols(struct module *mod, const struct load_info *info)
{
	const struct elf64_shdr *s = &info->sechdrs[info->index.sym];
	struct elf64_sym *sym = (void *)s->sh_addr;
	unsigned long n = s->sh_size / sizeof(*sym), i;
	u64 limit = info->sechdrs[info->index.str].sh_size;
	int err, ret = 0;

	for (i = 1; i < n; i++) {
		const char *name = info->strtab + sym[i].st_name;
		unsigned long value = 0;

		if (sym[i].st_name >= limit)
			return -ENOEXEC;
		if (sym[i].st_shndx == SHN_ABS)
			continue;
		if (sym[i].st_shndx == SHN_UNDEF) {
			/* What has no name is a register that is declared. */
			if (!*name)
				continue;
			err = resolve_symbol_wait(mod, name, &value);
			if (err && ELF64_ST_BIND(sym[i].st_info) != STB_WEAK) {
				pr_warn("%s: Unknown symbol %s (err %d)\n",
					mod->name, name, err);
				ret = err;
			}
			sym[i].st_value = value;
			continue;
		}
		if (sym[i].st_shndx >= info->hdr->e_shnum)
			return -ENOEXEC;
		/* The file's struct module only says what ours begins with. */
		if (sym[i].st_shndx == info->index.mod)
			sym[i].st_value = (unsigned long)mod;
		else
			sym[i].st_value +=
				info->sechdrs[sym[i].st_shndx].sh_addr;
	}
	return ret;
}

/*
 * The relocation of @type at @place, which is in the section that @rels is for.
 * It mostly stands a few entries before number @i.
 */
static const struct elf64_rela *find_rel(const struct elf64_shdr *rels,
					 unsigned long i, u64 place,
					 unsigned int type)
{
	const struct elf64_rela *rel = (void *)rels->sh_addr;
	unsigned long n = rels->sh_size / sizeof(*rel), left;

	for (left = n; left; left--) {
		if (rel[i].r_offset == place &&
		    ELF64_R_TYPE(rel[i].r_info) == type)
			return rel + i;
		i = (i ? i : n) - 1;
	}
	return NULL;
}

int apply_relocate_add(struct module *mod, const struct load_info *info,
		       const struct elf64_shdr *rels)
{
	const struct elf64_shdr *target = &info->sechdrs[rels->sh_info];
	const struct elf64_shdr *symsec = &info->sechdrs[info->index.sym];
	const struct elf64_rela *rel = (void *)rels->sh_addr;
	const struct elf64_sym *sym = (void *)symsec->sh_addr;
	unsigned long n = rels->sh_size / sizeof(*rel), i;
	int err;

	for (i = 0; i < n; i++) {
		u64 which = ELF64_R_SYM(rel[i].r_info);
		unsigned int type = ELF64_R_TYPE(rel[i].r_info);
		const struct elf64_rela *value = rel + i;

		if (rel[i].r_offset >= target->sh_size ||
		    which >= symsec->sh_size / sizeof(*sym))
			return -ENOEXEC;
		if (relocation_first_half(type)) {
			value = find_rel(rels, i,
					 sym[which].st_value - target->sh_addr,
					 relocation_first_half(type));
			if (!value)
				return -ENOEXEC;
			which = ELF64_R_SYM(value->r_info);
			if (which >= symsec->sh_size / sizeof(*sym))
				return -ENOEXEC;
		}
		err = apply_relocation(mod, type, (void *)target->sh_addr +
				       rel[i].r_offset,
				       target->sh_size - rel[i].r_offset,
				       which ? sym[which].st_value : 0,
				       value->r_addend + rel[i].r_offset -
				       value->r_offset);
		if (err)
			return err;
	}
	return 0;
}

int apply_relocations(struct module *mod, const struct load_info *info)
{
	unsigned int i;
	int err;

	for (i = 1; i < info->hdr->e_shnum; i++) {
		const struct elf64_shdr *s = &info->sechdrs[i];

		if (s->sh_type == SHT_REL)
			return -ENOEXEC;
		if (s->sh_type != SHT_RELA || s->sh_info >= info->hdr->e_shnum ||
		    !(info->sechdrs[s->sh_info].sh_flags & SHF_ALLOC))
			continue;
		if (s->sh_link != info->index.sym || s->sh_flags & SHF_ALLOC ||
		    s->sh_info == info->index.sym ||
		    s->sh_info == info->index.str)
			return -ENOEXEC;
		err = apply_relocate_add(mod, info, s);
		if (err)
			return err;
	}
	return 0;
}
