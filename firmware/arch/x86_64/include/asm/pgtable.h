/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables: four levels for 48 bits. */
#ifndef _ASM_PGTABLE_H
#define _ASM_PGTABLE_H

#include <asm/pgtable_types.h>

#define PTE_SHIFT	12
#define PMD_SHIFT	21
#define PUD_SHIFT	30
#define PGDIR_SHIFT	39
#define PUD_SIZE	(1UL << PUD_SHIFT)
#define PTRS_PER_TABLE	512
#define PTRS_PER_PUD	PTRS_PER_TABLE

/* The entries of a top-level table that belong to user space. */
#define USER_PTRS_PER_PGD	256

#define __table_addr(val)	__va((val) & PTE_PFN_MASK)

#define _PAGE_WRITE	_PAGE_RW

#include <asm-generic/pgtable.h>

#define pud_offset(pgd, addr) \
	__table_entry(pud_t, pgd_val(*(pgd)), addr, PUD_SHIFT)
#define pud_addr_end(addr, end)	__addr_end(addr, end, PUD_SIZE)

#define pgd_none(x)		(!pgd_val(x))
#define pgd_populate(pgd, table) \
	WRITE_ONCE(*(pgd), __pgd(__pa(table) | _PAGE_TABLE))
#define pgd_clear(pgd)		WRITE_ONCE(*(pgd), __pgd(0))
#define pgd_page_vaddr(x)	__table_addr(pgd_val(x))

#define pte_present(x)	(pte_val(x) & _PAGE_PRESENT)

#endif
