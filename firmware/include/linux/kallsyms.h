/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own symbols, and those of modules. */
#ifndef _LINUX_KALLSYMS_H
#define _LINUX_KALLSYMS_H

#include <linux/module.h>
#include <linux/types.h>

#define KSYM_NAME_LEN	128

/* The address of a symbol of the kernel itself, 0 if there is none. */
unsigned long kallsyms_lookup_name(const char *name);
/* The name of what @addr lies in, and how far; NULL outside of the kernel. */
const char *kallsyms_lookup(unsigned long addr, unsigned long *offset);

/* The @symnum-th symbol of all modules, or -ERANGE. */
int module_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *name, char *module_name);

#endif
