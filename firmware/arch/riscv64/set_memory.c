/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing the direct map, which consists of 2 MiB pages at first. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/set_memory.h>
#include <linux/tlbflush.h>

static int split_large_page(pmd_t *pmd)
{
	unsigned long val = pmd_val(*pmd);
	pte_t *table = (pte_t *)__get_free_page(GFP_KERNEL);
	unsigned int i;

	if (!table)
		return -ENOMEM;
	for (i = 0; i < PTRS_PER_TABLE; i++)
		set_pte(table + i, __pte(val + (i << PTE_PFN_SHIFT)));
	WRITE_ONCE(*pmd, __pmd(__pt_entry(__pa(table), _PAGE_TABLE)));
	return 0;
}

static pte_t *direct_map_pte(unsigned long addr)
{
	pmd_t *pmd = pmd_offset(pud_offset(swapper_pg_dir + pgd_index(addr),
					   addr), addr);

	if (pmd_val(*pmd) & _PAGE_LEAF && split_large_page(pmd))
		return NULL;
	return pte_offset(pmd, addr);
}

int set_direct_map_invalid_noflush(struct page *page)
{
	pte_t *pte = direct_map_pte((unsigned long)page_address(page));

	if (!pte)
		return -ENOMEM;
	pte_clear(pte);
	return 0;
}

static int change_page_attr(unsigned long addr, int numpages,
			    unsigned long set, unsigned long clear)
{
	unsigned long end = addr + numpages * PAGE_SIZE, p;

	for (p = addr; p < end; p += PAGE_SIZE) {
		pte_t *pte = direct_map_pte(p);

		if (!pte)
			return -ENOMEM;
		set_pte(pte, __pte((pte_val(*pte) & ~clear) | set));
	}
	flush_tlb_kernel_range(addr, end);
	return 0;
}

int set_memory_ro(unsigned long addr, int numpages)
{
	return change_page_attr(addr, numpages, 0, _PAGE_WRITE);
}

int set_memory_rw(unsigned long addr, int numpages)
{
	return change_page_attr(addr, numpages, _PAGE_WRITE, 0);
}

int set_memory_nx(unsigned long addr, int numpages)
{
	return change_page_attr(addr, numpages, 0, _PAGE_EXEC);
}

int set_memory_x(unsigned long addr, int numpages)
{
	return change_page_attr(addr, numpages, _PAGE_EXEC, 0);
}
