/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own symbols, and those of modules. */
#ifndef _LINUX_KALLSYMS_H
#define _LINUX_KALLSYMS_H

#include <linux/module.h>
#include <linux/types.h>

#define KSYM_NAME_LEN	128

/* What @addr, in the kernel or in a module, lies in. */
struct kallsyms_place {
	char		name[KSYM_NAME_LEN];
	char		module_name[MODULE_NAME_LEN];	/* "" for the kernel */
	unsigned long	offset, size;
};

bool kallsyms_lookup(unsigned long addr, struct kallsyms_place *place);
/* The same for modules only. */
bool module_address_lookup(unsigned long addr, struct kallsyms_place *place);

/* The first symbol "NAME", or "MODULE:NAME"; 0: there is none. Sleeps. */
unsigned long kallsyms_lookup_name(const char *name);
/* The same for modules only. */
unsigned long module_kallsyms_lookup_name(const char *name);

/* The @symnum-th symbol of all modules, or -ERANGE. */
int module_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *name, char *module_name);

#endif
