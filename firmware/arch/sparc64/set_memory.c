/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changing the direct map. It needs no tables as long as it consists of 4 MiB
 * pages; the miss handler finds here what has been split.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/set_memory.h>
#include <asm/proto.h>

#define PTES	(1UL << (DIRECT_MAP_SHIFT - PAGE_SHIFT))

/* What the miss handler has in registers. */
unsigned long direct_map_end;		/* virtual: RAM's end */
phys_addr_t direct_map_tables;		/* physical */

/* For each large page: physical address of its small ones' entries, or 0. */
static unsigned long *tables;

void __init paging_init(void)
{
	unsigned long ram = max_pfn << PAGE_SHIFT;
	unsigned long large = DIV_ROUND_UP(ram, 1UL << DIRECT_MAP_SHIFT);

	tables = memblock_alloc(large * sizeof(*tables), PAGE_SIZE);
	direct_map_tables = __pa(tables);
	direct_map_end = (unsigned long)__va(ram);
	load_direct_map_tables(direct_map_tables);
	load_direct_map_end(direct_map_end);
}

static int split_large_page(unsigned long *table, phys_addr_t phys)
{
	pte_t *ptes = (pte_t *)__get_free_page(GFP_KERNEL);
	unsigned int i;

	if (!ptes)
		return -ENOMEM;
	for (i = 0; i < PTES; i++)
		set_pte(ptes + i, __pte(phys + i * PAGE_SIZE + _PAGE_KERNEL));
	/* Somebody else may just have done it. */
	if (cmpxchg(table, 0, __pa(ptes)))
		free_page((unsigned long)ptes);
	return 0;
}

pte_t *kernel_pte(unsigned long addr)
{
	phys_addr_t phys = __pa(addr), large = phys >> DIRECT_MAP_SHIFT;
	unsigned long *table = tables + large;
	pte_t *ptes;

	if (!READ_ONCE(*table) &&
	    split_large_page(table, large << DIRECT_MAP_SHIFT))
		return NULL;
	ptes = __va(*table);
	return ptes + ((phys >> PAGE_SHIFT) & (PTES - 1));
}

int set_direct_map_invalid_noflush(struct page *page)
{
	pte_t *pte = kernel_pte((unsigned long)page_address(page));

	if (!pte)
		return -ENOMEM;
	pte_clear(pte);
	return 0;
}
