/* SPDX-License-Identifier: GPL-2.0-only */
/* What the loader's parts share. */
#ifndef _MODULE_INTERNAL_H
#define _MODULE_INTERNAL_H

#include <linux/elf.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/wait.h>

#define MODULE_FILE_MAX		KMALLOC_MAX_SIZE
#define MODULE_SECTION_ALIGN	8UL	/* at least; our structures need it */

/* In a section header's sh_entsize: where it goes, and in which part. */
#define INIT_OFFSET_MASK	(1UL << 63)

/* Taints that modules cause, as bits and as /proc/modules' letters. */
#define TAINT_PROPRIETARY_MODULE	0
#define TAINT_OOT_MODULE		12

/* finit_module's flags */
#define MODULE_INIT_IGNORE_MODVERSIONS	1
#define MODULE_INIT_IGNORE_VERMAGIC	2

/* A module file in memory, while it is being loaded. */
struct load_info {
	struct elf64_hdr *hdr;
	unsigned long len;
	struct elf64_shdr *sechdrs;
	const char *secstrings;
	const char *strtab;
	const char *name;
	bool ignore_vermagic;
	bool load_only;			/* stop where init would be called */
	unsigned long core_syms, core_strs;	/* offsets in the core part */
	struct {
		unsigned int sym, str, mod, info;
	} index;
};

extern struct mutex module_mutex;	/* protects the list of modules */
extern struct list_head modules;
extern wait_queue_head_t module_wq;	/* a module's state has changed */

/* main.c */
struct module *find_module(const char *name);
int load_module(struct load_info *info, char *args);
int delete_module(const char *name);

/* elf.c */
int elf_validity_check(struct load_info *info);
int setup_load_info(struct load_info *info);
void rewrite_section_headers(struct load_info *info);
unsigned int find_sec(const struct load_info *info, const char *name);
void *section_objs(const struct load_info *info, const char *name,
		   size_t object_size, unsigned int *num);

/* modinfo.c */
const char *get_modinfo(const struct load_info *info, const char *tag);
int check_modinfo(struct module *mod, struct load_info *info);

/* layout.c */
int layout_and_allocate(struct module *mod, struct load_info *info);
void module_deallocate(struct module *mod);
bool module_init_section(const char *name);

/* symbols.c */
struct find_symbol_arg {
	const char *name;
	bool gplok;
	struct module *owner;
	const struct kernel_symbol *sym;
	bool gplonly;
};

bool find_symbol(struct find_symbol_arg *fsa);
int verify_exported_symbols(struct module *mod);
int verify_params(const struct module *mod);
int simplify_symbols(struct module *mod, const struct load_info *info);
int apply_relocate_add(struct module *mod, const struct load_info *info,
		       const struct elf64_shdr *rels);
int apply_relocations(struct module *mod, const struct load_info *info);

/* kallsyms.c */
void layout_symtab(struct module *mod, struct load_info *info);
void add_kallsyms(struct module *mod, const struct load_info *info);

/* sysfs.c */
int mod_sysfs_setup(struct module *mod);
void mod_sysfs_teardown(struct module *mod);

/* strict_rwx.c */
int module_enforce_rwx_sections(const struct load_info *info);
int module_enable_ro(const struct module *mod);
int module_enable_nx(const struct module *mod);
int module_enable_x(const struct module *mod);

/* refcount.c */
struct module_use {
	struct list_head source_list;
	struct list_head target_list;
	struct module *source, *target;
};

void module_unload_init(struct module *mod);
void module_unload_free(struct module *mod);
int ref_module(struct module *user, struct module *used);
int try_stop_module(struct module *mod);

static inline bool within_module_core(const struct module *mod,
				      unsigned long addr)
{
	return addr - (unsigned long)mod->core_layout.base <
	       mod->core_layout.size;
}

static inline bool within_module_init(const struct module *mod,
				      unsigned long addr)
{
	return addr - (unsigned long)mod->init_layout.base <
	       mod->init_layout.size;
}

#endif
