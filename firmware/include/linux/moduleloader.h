/* SPDX-License-Identifier: GPL-2.0-only */
/* What the module loader needs of an architecture. */
#ifndef _LINUX_MODULELOADER_H
#define _LINUX_MODULELOADER_H

#include <linux/elf.h>
#include <linux/types.h>

struct module;

/*
 * Zeroed, page aligned, in reach of the kernel's calls, writable and not
 * executable; NULL if there is none. May sleep.
 */
void *module_alloc(unsigned long size);
void module_memfree(void *base);

/*
 * Makes one relocation: @sym is the symbol's value, @place where it goes, of
 * which @room bytes belong to the section. Returns 0 or -ENOEXEC.
 */
int apply_relocation(struct module *mod, unsigned int type, void *place,
		     unsigned long room, unsigned long sym, long addend);

#endif
