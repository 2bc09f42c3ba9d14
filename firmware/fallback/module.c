/* SPDX-License-Identifier: GPL-2.0-only */
/* No module can be loaded. */
#include <linux/errno.h>
#include <linux/moduleloader.h>
#include "fallback.h"

__fallback void *module_alloc(unsigned long size)
{
	port_lacks();
	return NULL;
}

__fallback void module_memfree(void *base)
{
	if (base)
		port_lacks();
}

__fallback int apply_relocation(struct module *mod, unsigned int type,
				void *place, unsigned long room,
				unsigned long sym, long addend)
{
	port_lacks();
	return -ENOEXEC;
}
