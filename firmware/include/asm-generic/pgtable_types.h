/* SPDX-License-Identifier: GPL-2.0-only */
/* Entries of page tables, by level; asm/pgtable_types.h includes it. */
#ifndef _ASM_GENERIC_PGTABLE_TYPES_H
#define _ASM_GENERIC_PGTABLE_TYPES_H

#include <linux/types.h>

typedef struct { unsigned long pte; } pte_t;
typedef struct { unsigned long pmd; } pmd_t;
typedef struct { unsigned long pgd; } pgd_t;
typedef struct { unsigned long pgprot; } pgprot_t;

#define pte_val(x)	((x).pte)
#define pmd_val(x)	((x).pmd)
#define pgd_val(x)	((x).pgd)
#define pgprot_val(x)	((x).pgprot)
#define __pte(x)	((pte_t){ (x) })
#define __pmd(x)	((pmd_t){ (x) })
#define __pgd(x)	((pgd_t){ (x) })
#define __pgprot(x)	((pgprot_t){ (x) })

#endif
