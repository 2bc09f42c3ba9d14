/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables: three levels for 39 bits. */
#ifndef _ASM_PGTABLE_H
#define _ASM_PGTABLE_H

#include <asm/pgtable_types.h>

#define PTE_SHIFT	12
#define PMD_SHIFT	21
#define PGDIR_SHIFT	30

#ifndef __ASSEMBLY__

#define PTRS_PER_TABLE	512

/* The entries of a top-level table that belong to user space. */
#define USER_PTRS_PER_PGD	256

#define __table_addr(val) \
	__va(((val) & PTE_PFN_MASK) >> PTE_PFN_SHIFT << PAGE_SHIFT)

#include <asm-generic/pgtable.h>
#include <asm-generic/pgtable-nopud.h>

#define pte_present(x)		(pte_val(x) & _PAGE_PRESENT)
#define pte_write(x)		(pte_val(x) & _PAGE_WRITE)
#define pte_wrprotect(x)	__pte(pte_val(x) & ~_PAGE_WRITE)
#define pte_mkwrite(x)		__pte(pte_val(x) | _PAGE_WRITE)
#define pte_mkdirty(x)		__pte(pte_val(x) | _PAGE_DIRTY)
#define pte_mkclean(x)		__pte(pte_val(x) & ~_PAGE_DIRTY)

/* The same page and history, other permissions. */
#define pte_modify(x, prot)						\
	__pte((pte_val(x) & (PTE_PFN_MASK | _PAGE_ACCESSED | _PAGE_DIRTY | \
			     _PAGE_SPECIAL)) | pgprot_val(prot))

#endif
#endif
