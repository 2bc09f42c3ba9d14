/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing the direct map, which consists of 2 MiB pages at first. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/set_memory.h>

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

pte_t *kernel_pte(unsigned long addr)
{
	pmd_t *pmd = pmd_offset(pud_offset(swapper_pg_dir + pgd_index(addr),
					   addr), addr);

	if (pmd_val(*pmd) & _PAGE_LEAF && split_large_page(pmd))
		return NULL;
	return pte_offset(pmd, addr);
}

int set_direct_map_invalid_noflush(struct page *page)
{
	pte_t *pte = kernel_pte((unsigned long)page_address(page));

	if (!pte)
		return -ENOMEM;
	pte_clear(pte);
	return 0;
}
