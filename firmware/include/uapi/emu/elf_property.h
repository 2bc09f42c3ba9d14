/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * .note.gnu.property: what a program needs of the CPU. The kernel does not
 * execute a program that needs more than there is, and the shell says so.
 */
#ifndef _UAPI_EMU_ELF_PROPERTY_H
#define _UAPI_EMU_ELF_PROPERTY_H

#include <linux/elf.h>
#include <asm/isa.h>

#define ELF_PROPERTY_NOTE_SIZE	1024	/* what the note may have, in bytes */
#define ELF_PROPERTY_ALIGN	8

/*
 * Why a program with this note cannot be executed; NULL: it can. @note is
 * aligned as its properties are.
 */
static inline const char *elf_property_error(const char *note,
					     unsigned long size)
{
	static const char damaged[] = "its .note.gnu.property is damaged";
	const struct elf64_nhdr *nhdr = (const struct elf64_nhdr *)note;
	unsigned long at = sizeof(*nhdr) + sizeof("GNU"), end;

	if (size < at || nhdr->n_type != NT_GNU_PROPERTY_TYPE_0 ||
	    nhdr->n_namesz != sizeof("GNU") ||
	    __builtin_memcmp(nhdr + 1, "GNU", sizeof("GNU")) ||
	    nhdr->n_descsz > size - at)
		return damaged;
	end = at + nhdr->n_descsz;
	while (at < end) {
		const struct elf64_property *pr = (const void *)(note + at);
		const unsigned int *value = (const void *)(pr + 1);
		const char *error = 0;

		if (end - at < sizeof(*pr) ||
		    pr->pr_datasz > end - at - sizeof(*pr))
			return damaged;
		if (pr->pr_datasz == sizeof(*value))
			error = arch_elf_property_error(pr->pr_type, *value);
		if (error)
			return error;
		at += sizeof(*pr) + pr->pr_datasz + ELF_PROPERTY_ALIGN - 1;
		at -= at % ELF_PROPERTY_ALIGN;
	}
	return 0;
}

#endif
