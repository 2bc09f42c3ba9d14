/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walking page tables and making entries, for tables of one size and entries
 * that hold physical addresses in place; asm/pgtable.h includes it.
 */
#ifndef _ASM_GENERIC_PGTABLE_H
#define _ASM_GENERIC_PGTABLE_H

#include <linux/compiler.h>

/* Where entries hold a page's number, and how an entry for a physical address is made. */
#ifndef PTE_PFN_SHIFT
#define PTE_PFN_SHIFT	PAGE_SHIFT
#endif
#ifndef __pt_entry
#define __pt_entry(phys, prot)	((phys) | (prot))
#endif

#define PMD_SIZE	(1UL << PMD_SHIFT)
#define PGDIR_SIZE	(1UL << PGDIR_SHIFT)

extern pgd_t swapper_pg_dir[PTRS_PER_TABLE];

/* A top-level table that maps the kernel, if that is in tables, and no more. */
pgd_t *pgd_alloc(void);
void pgd_free(pgd_t *pgd);

/*
 * The entry of one page in the kernel's mapping. NULL: there is no such entry,
 * and no memory for one.
 */
pte_t *kernel_pte(unsigned long addr);

#define __table_index(addr, shift) \
	(((addr) >> (shift)) & (PTRS_PER_TABLE - 1))
#define __table_entry(type, val, addr, shift) \
	((type *)__table_addr(val) + __table_index(addr, shift))

#define pgd_index(addr)		__table_index(addr, PGDIR_SHIFT)
#define pgd_offset(mm, addr)	((mm)->pgd + pgd_index(addr))
#define pmd_offset(pud, addr) \
	__table_entry(pmd_t, pud_val(*(pud)), addr, PMD_SHIFT)
#define pte_offset(pmd, addr) \
	__table_entry(pte_t, pmd_val(*(pmd)), addr, PTE_SHIFT)

#define pud_none(x)	(!pud_val(x))
#define pmd_none(x)	(!pmd_val(x))

/* Hooks a zeroed page in as the next level's table. */
#define pud_populate(pud, table) \
	WRITE_ONCE(*(pud), __pud(__pt_entry(__pa(table), _PAGE_TABLE)))
#define pmd_populate(pmd, table) \
	WRITE_ONCE(*(pmd), __pmd(__pt_entry(__pa(table), _PAGE_TABLE)))

#define pud_clear(pud)		WRITE_ONCE(*(pud), __pud(0))
#define pmd_clear(pmd)		WRITE_ONCE(*(pmd), __pmd(0))

#define pud_page_vaddr(x)	__table_addr(pud_val(x))
#define pmd_page_vaddr(x)	__table_addr(pmd_val(x))

#define pte_none(x)	(!pte_val(x))
#define pte_special(x)	(pte_val(x) & _PAGE_SPECIAL)
#define pte_pfn(x)	((pte_val(x) & PTE_PFN_MASK) >> PTE_PFN_SHIFT)
#define pte_page(x)	pfn_to_page(pte_pfn(x))

#define pte_write(x)		(pte_val(x) & _PAGE_WRITE)
#define pte_wrprotect(x)	__pte(pte_val(x) & ~_PAGE_WRITE)
#define pte_mkwrite(x)		__pte(pte_val(x) | _PAGE_WRITE)
#define pte_mkdirty(x)		__pte(pte_val(x) | _PAGE_DIRTY)
#define pte_mkclean(x)		__pte(pte_val(x) & ~_PAGE_DIRTY)
#define pte_mkyoung(x)		__pte(pte_val(x) | _PAGE_ACCESSED)
#define pte_mkspecial(x)	__pte(pte_val(x) | _PAGE_SPECIAL)

/* The same page and history, other permissions. */
#define pte_modify(x, prot)						\
	__pte((pte_val(x) & (PTE_PFN_MASK | _PAGE_ACCESSED | _PAGE_DIRTY | \
			     _PAGE_SPECIAL)) | pgprot_val(prot))

#define mk_pte(page, prot) \
	__pte((page_to_pfn(page) << PTE_PFN_SHIFT) | pgprot_val(prot))
#define pte_same(a, b)		(pte_val(a) == pte_val(b))

#define set_pte(ptep, x)	WRITE_ONCE(*(ptep), x)
#define ptep_get(ptep)		READ_ONCE(*(ptep))
#define pte_clear(ptep)		set_pte(ptep, __pte(0))

/* Where the part of [addr, end) that one entry of a level covers stops. */
#define __addr_end(addr, end, size) ({					\
	unsigned long _b = ((addr) + (size)) & ~((size) - 1);		\
	_b - 1 < (end) - 1 ? _b : (end); })
#define pgd_addr_end(addr, end)	__addr_end(addr, end, PGDIR_SIZE)
#define pmd_addr_end(addr, end)	__addr_end(addr, end, PMD_SIZE)

#endif
