/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables: three levels for 43 bits. */
#ifndef _ASM_PGTABLE_H
#define _ASM_PGTABLE_H

#include <asm/pgtable_types.h>

#define PTE_SHIFT	13
#define PMD_SHIFT	23
#define PGDIR_SHIFT	33
#define USER_BITS	43

/* As it is called here. */
#define vmemmap_base	VMEMMAP_BASE

#ifndef __ASSEMBLY__

#define PTRS_PER_TABLE	1024

/* User space is all that there are tables for. */
#define USER_PTRS_PER_PGD	PTRS_PER_TABLE

/* Entries above the last level are the next table's physical address. */
#define _PAGE_TABLE		0
#define __table_addr(val)	__va(val)

#define _PAGE_WRITE	_PAGE_W
#define _PAGE_DIRTY	_PAGE_MODIFIED

#include <asm-generic/pgtable.h>
#include <asm-generic/pgtable-nopud.h>

#define pte_present(x)	((long)pte_val(x) < 0)

#endif
#endif
