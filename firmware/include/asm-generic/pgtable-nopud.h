/* SPDX-License-Identifier: GPL-2.0-only */
/* Without a level of puds: a pgd entry is its own table of one pud. */
#ifndef _ASM_GENERIC_PGTABLE_NOPUD_H
#define _ASM_GENERIC_PGTABLE_NOPUD_H

typedef struct { pgd_t pgd; } pud_t;

#define pud_val(x)		pgd_val((x).pgd)
#define __pud(x)		((pud_t){ __pgd(x) })

#define PTRS_PER_PUD		1
#define PUD_SIZE		PGDIR_SIZE

/* The table is always there. */
#define pgd_none(x)		((void)(x), false)
#define pgd_populate(pgd, table) ((void)(pgd), (void)(table))
#define pud_offset(pgd, addr)	((pud_t *)(pgd))
#define pud_addr_end(addr, end)	(end)
#define pgd_clear(pgd)		((void)(pgd))
#define pgd_page_vaddr(x)	((void)(x), NULL)

#endif
