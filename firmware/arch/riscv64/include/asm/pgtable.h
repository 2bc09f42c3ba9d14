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

#include <asm-generic/pgtable-nopud.h>
#include <asm-generic/pgtable.h>

#define pte_present(x)		(pte_val(x) & _PAGE_PRESENT)
#endif
#endif
