/* SPDX-License-Identifier: GPL-2.0-only */
/* What a module says of itself. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/vermagic.h>
#include "internal.h"

static const char vermagic[] = VERMAGIC_STRING;

/* The text behind "tag=", NULL if it is not there or has no end. */
const char *get_modinfo(const struct load_info *info, const char *tag)
{
	const struct elf64_shdr *s = &info->sechdrs[info->index.info];
	const char *p = (char *)info->hdr + s->sh_offset;
	const char *end = p + s->sh_size;
	size_t len = strlen(tag);

	if (!info->index.info || s->sh_type != SHT_PROGBITS)
		return NULL;
	while (p < end) {
		size_t size = strnlen(p, end - p);

		if (size == (size_t)(end - p))
			return NULL;
		if (size > len && !memcmp(p, tag, len) && p[len] == '=')
			return p + len + 1;
		p += size + 1;
	}
	return NULL;
}

static bool license_is_gpl_compatible(const char *license)
{
	static const char *const compatible[] = {
		"GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL",
		"Dual MIT/GPL", "Dual MPL/GPL",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(compatible); i++)
		if (!strcmp(license, compatible[i]))
			return true;
	return false;
}

static void set_license(struct module *mod, const char *license)
{
	if (!license)
		license = "unspecified";
	if (license_is_gpl_compatible(license))
		return;
	pr_warn("%s: module license '%s' taints kernel.\n", mod->name, license);
	mod->taints |= 1u << TAINT_PROPRIETARY_MODULE;
}

int check_modinfo(struct module *mod, struct load_info *info)
{
	const char *modmagic = get_modinfo(info, "vermagic");

	if (info->ignore_vermagic)
		modmagic = vermagic;
	if (!modmagic || strcmp(modmagic, vermagic)) {
		pr_err("%s: version magic '%s' should be '%s'\n", mod->name,
		       modmagic ? modmagic : "", vermagic);
		return -ENOEXEC;
	}
	if (!get_modinfo(info, "intree")) {
		pr_warn("%s: loading out-of-tree module taints kernel.\n",
			mod->name);
		mod->taints |= 1u << TAINT_OOT_MODULE;
	}
	set_license(mod, get_modinfo(info, "license"));
	return 0;
}
