/* SPDX-License-Identifier: GPL-2.0-only */
/* What the module loader needs of an architecture. */
#ifndef _LINUX_MODULELOADER_H
#define _LINUX_MODULELOADER_H

#include <linux/elf.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <asm/module.h>

struct module;

/*
 * Zeroed, page aligned, in reach of the kernel's calls, writable and not
 * executable; NULL if there is none. May sleep.
 */
void *module_alloc(unsigned long size);
void module_memfree(void *base);

/* For module_alloc(): a block of pages below @reach, physical, or NULL. */
static inline struct page *module_alloc_pages(unsigned long size,
					      unsigned long reach)
{
	unsigned int order = 0;

	while (PAGE_SIZE << order < size)
		order++;
	return alloc_pages_below(GFP_KERNEL | __GFP_ZERO, order,
				 reach >> PAGE_SHIFT);
}

/*
 * Makes one relocation: @sym is the symbol's value, @place where it goes, of
 * which @room bytes belong to the section. Returns 0 or -ENOEXEC.
 * The second of a pair (asm/module.h) gets the first one's symbol, and as
 * distance from @place that from the first one's place.
 */
int apply_relocation(struct module *mod, unsigned int type, void *place,
		     unsigned long room, unsigned long sym, long addend);

#endif
