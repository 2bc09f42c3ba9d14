/* SPDX-License-Identifier: GPL-2.0-only */
/* Page table entries and what their bits mean. */
#ifndef _ASM_PGTABLE_TYPES_H
#define _ASM_PGTABLE_TYPES_H

#include <asm-generic/pgtable_types.h>
#include <asm/page.h>

#define _PAGE_PRESENT	(1UL << 0)
#define _PAGE_RW	(1UL << 1)
#define _PAGE_USER	(1UL << 2)
#define _PAGE_ACCESSED	(1UL << 5)
#define _PAGE_DIRTY	(1UL << 6)
#define _PAGE_PSE	(1UL << 7)
#define _PAGE_GLOBAL	(1UL << 8)
#define _PAGE_SPECIAL	(1UL << 9)	/* software: not reference counted */
#define _PAGE_NX	(1UL << 63)

#define PTE_PFN_MASK	0x000ffffffffff000UL

typedef struct { unsigned long pud; } pud_t;
#define pud_val(x)	((x).pud)
#define __pud(x)	((pud_t){ (x) })

#define _KERNPG_TABLE \
	(_PAGE_PRESENT | _PAGE_RW | _PAGE_ACCESSED | _PAGE_DIRTY)
#define _PAGE_TABLE	(_KERNPG_TABLE | _PAGE_USER)

#define PAGE_KERNEL	 __pgprot(_KERNPG_TABLE | _PAGE_GLOBAL | _PAGE_NX)
#define PAGE_KERNEL_EXEC __pgprot(_KERNPG_TABLE | _PAGE_GLOBAL)
#define PAGE_KERNEL_ROX	 __pgprot((_KERNPG_TABLE | _PAGE_GLOBAL) & ~_PAGE_RW)
#define PAGE_KERNEL_RO	 __pgprot(pgprot_val(PAGE_KERNEL) & ~_PAGE_RW)

#endif
