/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changing the kernel's mappings: the direct map, which consists of 2 MiB pages
 * at first, and that of the image, where modules are too.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/set_memory.h>
#include <asm/proto.h>

/* The same, by 4 KiB pages. */
static int split_large_page(pmd_t *pmd)
{
	unsigned long val = pmd_val(*pmd) & ~_PAGE_PSE;
	pte_t *table = (pte_t *)__get_free_page(GFP_KERNEL);
	unsigned int i;

	if (!table)
		return -ENOMEM;
	for (i = 0; i < PTRS_PER_TABLE; i++)
		set_pte(table + i, __pte(val + i * PAGE_SIZE));
	WRITE_ONCE(*pmd, __pmd(__pa(table) | _KERNPG_TABLE));
	return 0;
}

int set_direct_map_invalid_noflush(struct page *page)
{
	unsigned long addr = (unsigned long)page_address(page);
	pmd_t *pmd = pmd_offset(pud_offset(swapper_pg_dir + pgd_index(addr),
					   addr), addr);
	int err;

	if (pmd_val(*pmd) & _PAGE_PSE) {
		err = split_large_page(pmd);
		if (err)
			return err;
	}
	pte_clear(pte_offset(pmd, addr));
	return 0;
}

pte_t *kernel_pte(unsigned long addr)
{
	pud_t *pud = pud_offset(swapper_pg_dir + pgd_index(addr), addr);
	pmd_t *pmd;

	if (pud_none(*pud))
		return NULL;
	pmd = pmd_offset(pud, addr);
	return pmd_none(*pmd) ? NULL : pte_offset(pmd, addr);
}

/* The same, and makes the tables; all address spaces share them. */
pte_t *kernel_pte_alloc(unsigned long addr)
{
	pud_t *pud = pud_offset(swapper_pg_dir + pgd_index(addr), addr);
	pmd_t *pmd;
	void *table;

	if (pud_none(*pud)) {
		table = (void *)get_zeroed_page(GFP_KERNEL);
		if (!table)
			return NULL;
		WRITE_ONCE(*pud, __pud(__pa(table) | _KERNPG_TABLE));
	}
	pmd = pmd_offset(pud, addr);
	if (pmd_none(*pmd)) {
		table = (void *)get_zeroed_page(GFP_KERNEL);
		if (!table)
			return NULL;
		WRITE_ONCE(*pmd, __pmd(__pa(table) | _KERNPG_TABLE));
	}
	return pte_offset(pmd, addr);
}
