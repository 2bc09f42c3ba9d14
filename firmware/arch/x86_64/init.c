/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own page tables. */
#include <linux/kernel.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <asm/proto.h>
#include <asm/sections.h>

pgd_t swapper_pg_dir[PTRS_PER_TABLE] __aligned(4096);

static __init void *alloc_table(void)
{
	return memblock_alloc(PAGE_SIZE, PAGE_SIZE);
}

static __init pmd_t *kernel_pmd(unsigned long addr)
{
	pgd_t *pgd = swapper_pg_dir + pgd_index(addr);
	pud_t *pud;

	if (pgd_none(*pgd))
		*pgd = __pgd(__pa(alloc_table()) | _KERNPG_TABLE);
	pud = pud_offset(pgd, addr);
	if (pud_none(*pud))
		*pud = __pud(__pa(alloc_table()) | _KERNPG_TABLE);
	return pmd_offset(pud, addr);
}

static __init void map_page(unsigned long addr, phys_addr_t phys, pgprot_t prot)
{
	pmd_t *pmd = kernel_pmd(addr);

	if (pmd_none(*pmd))
		*pmd = __pmd(__pa(alloc_table()) | _KERNPG_TABLE);
	*pte_offset(pmd, addr) = __pte(phys | pgprot_val(prot));
}

static __init void map_image(const char *from, const char *to, pgprot_t prot)
{
	const char *p;

	for (p = from; p < to; p += PAGE_SIZE)
		map_page((unsigned long)p, __pa(p), prot);
}

/*
 * All of RAM at PAGE_OFFSET, the image at its link address with the rights
 * that its parts need. The host's trampolines are read-only to us but for the
 * last page, in which upcalls find what CPUs share.
 */
void __init paging_init(void)
{
	phys_addr_t end = (phys_addr_t)max_pfn << PAGE_SHIFT;
	phys_addr_t phys;

	BUILD_BUG_ON(PMD_SHIFT != DIRECT_MAP_SHIFT);
	for (phys = 0; phys < end; phys += PMD_SIZE)
		*kernel_pmd((unsigned long)__va(phys)) =
			__pmd(phys | _PAGE_PSE | pgprot_val(PAGE_KERNEL));

	kernel_pmd(IOREMAP_START);	/* that all top-level tables have it */
	map_image(_text, __ftrace_shared, PAGE_KERNEL_ROX);
	map_image(__ftrace_shared, __ftrace_tramp_end, PAGE_KERNEL_EXEC);
	map_image(__start_rodata, _sdata, PAGE_KERNEL_RO);
	map_image(_sdata, _end, PAGE_KERNEL);
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
		prot |= _PAGE_PRESENT;
	if (vm_flags & VM_WRITE && vm_flags & VM_SHARED)
		prot |= _PAGE_RW;
	if (!(vm_flags & VM_EXEC))
		prot |= _PAGE_NX;
	return __pgprot(prot);
}
