/* SPDX-License-Identifier: GPL-2.0-only */
/* Code is not written, data is not executed. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/set_memory.h>
#include "internal.h"

int module_enforce_rwx_sections(const struct load_info *info)
{
	const u64 wx = SHF_EXECINSTR | SHF_WRITE;
	unsigned int i;

	for (i = 1; i < info->hdr->e_shnum; i++) {
		if ((info->sechdrs[i].sh_flags & wx) != wx)
			continue;
		pr_err("%s: section %s (index %u) has invalid WRITE|EXEC flags\n",
		       info->name, info->secstrings + info->sechdrs[i].sh_name,
		       i);
		return -ENOEXEC;
	}
	return 0;
}

static int set_part(const struct module_layout *layout, unsigned int from,
		    unsigned int to, int (*set)(unsigned long addr, int pages))
{
	if (from == to)
		return 0;
	return set((unsigned long)layout->base + from, (to - from) >> PAGE_SHIFT);
}

int module_enable_ro(const struct module *mod)
{
	const struct module_layout *core = &mod->core_layout;
	const struct module_layout *init = &mod->init_layout;
	int err = set_part(core, 0, core->ro_size, set_memory_ro);

	return err ? err : set_part(init, 0, init->ro_size, set_memory_ro);
}

int module_enable_nx(const struct module *mod)
{
	const struct module_layout *core = &mod->core_layout;
	const struct module_layout *init = &mod->init_layout;
	int err = set_part(core, core->text_size, core->size, set_memory_nx);

	return err ? err : set_part(init, init->text_size, init->size,
				    set_memory_nx);
}

int module_enable_x(const struct module *mod)
{
	const struct module_layout *core = &mod->core_layout;
	const struct module_layout *init = &mod->init_layout;
	int err = set_part(core, 0, core->text_size, set_memory_x);

	return err ? err : set_part(init, 0, init->text_size, set_memory_x);
}
