/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own page tables: all of RAM in large pages, as it is used. */
#include <linux/kernel.h>
#include <linux/init.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/string.h>

pgd_t swapper_pg_dir[PTRS_PER_TABLE] __aligned(PAGE_SIZE);

/* All processes share the tables below the top level, so there is one for each GiB from now on. */
void __init paging_init(void)
{
	phys_addr_t end = (phys_addr_t)max_pfn << PAGE_SHIFT;
	phys_addr_t phys;

	BUILD_BUG_ON(PMD_SHIFT != DIRECT_MAP_SHIFT);
	for (phys = 0; phys < end; phys += PMD_SIZE) {
		unsigned long addr = (unsigned long)__va(phys);
		pgd_t *pgd = swapper_pg_dir + pgd_index(addr);

		if (!pgd_val(*pgd))
			*pgd = __pgd(__pt_entry(__pa(memblock_alloc(PAGE_SIZE,
							PAGE_SIZE)),
					     _PAGE_TABLE));
		*pmd_offset(pud_offset(pgd, addr), addr) =
			__pmd(__pt_entry(phys, _PAGE_KERNEL));
	}
}

pgd_t *pgd_alloc(void)
{
	pgd_t *pgd = (pgd_t *)__get_free_page(GFP_KERNEL);

	if (!pgd)
		return NULL;
	memset(pgd, 0, USER_PTRS_PER_PGD * sizeof(*pgd));
	memcpy(pgd + USER_PTRS_PER_PGD, swapper_pg_dir + USER_PTRS_PER_PGD,
	       (PTRS_PER_TABLE - USER_PTRS_PER_PGD) * sizeof(*pgd));
	return pgd;
}

/* Writable private memory is mapped read-only until it is written. */
pgprot_t vm_get_page_prot(unsigned long vm_flags)
{
	unsigned long prot = _PAGE_USER | _PAGE_ACCESSED;

	if (vm_flags & VM_ACCESS_FLAGS)
		prot |= _PAGE_PRESENT | _PAGE_READ;
	if (vm_flags & VM_WRITE && vm_flags & VM_SHARED)
		prot |= _PAGE_WRITE;
	if (vm_flags & VM_EXEC)
		prot |= _PAGE_EXEC;
	return __pgprot(prot);
}
