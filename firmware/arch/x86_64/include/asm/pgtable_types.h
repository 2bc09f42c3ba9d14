/* SPDX-License-Identifier: GPL-2.0-only */
/* Page table entries and what their bits mean. */
#ifndef _ASM_PGTABLE_TYPES_H
#define _ASM_PGTABLE_TYPES_H

#include <linux/types.h>
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

typedef struct { unsigned long pte; } pte_t;
typedef struct { unsigned long pmd; } pmd_t;
typedef struct { unsigned long pud; } pud_t;
typedef struct { unsigned long pgd; } pgd_t;
typedef struct { unsigned long pgprot; } pgprot_t;

#define pte_val(x)	((x).pte)
#define pmd_val(x)	((x).pmd)
#define pud_val(x)	((x).pud)
#define pgd_val(x)	((x).pgd)
#define pgprot_val(x)	((x).pgprot)
#define __pte(x)	((pte_t){ (x) })
#define __pmd(x)	((pmd_t){ (x) })
#define __pud(x)	((pud_t){ (x) })
#define __pgd(x)	((pgd_t){ (x) })
#define __pgprot(x)	((pgprot_t){ (x) })

#define _KERNPG_TABLE \
	(_PAGE_PRESENT | _PAGE_RW | _PAGE_ACCESSED | _PAGE_DIRTY)
#define _PAGE_TABLE	(_KERNPG_TABLE | _PAGE_USER)

#define PAGE_KERNEL	 __pgprot(_KERNPG_TABLE | _PAGE_GLOBAL | _PAGE_NX)
#define PAGE_KERNEL_EXEC __pgprot(_KERNPG_TABLE | _PAGE_GLOBAL)
#define PAGE_KERNEL_ROX	 __pgprot((_KERNPG_TABLE | _PAGE_GLOBAL) & ~_PAGE_RW)
#define PAGE_KERNEL_RO	 __pgprot(pgprot_val(PAGE_KERNEL) & ~_PAGE_RW)

#endif
