/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables: for user space only, the kernel's translations are computed. */
#include <linux/kernel.h>
#include <linux/mm.h>

pgd_t swapper_pg_dir[PTRS_PER_TABLE] __aligned(PAGE_SIZE);

pgd_t *pgd_alloc(void)
{
	return (pgd_t *)get_zeroed_page(GFP_KERNEL);
}

/* Writable private memory is mapped read-only until it is written. */
pgprot_t vm_get_page_prot(unsigned long vm_flags)
{
	unsigned long prot = _PAGE_CACHE | _PAGE_ACCESSED;

	if (vm_flags & VM_ACCESS_FLAGS)
		prot |= _PAGE_VALID;
	if (vm_flags & VM_WRITE && vm_flags & VM_SHARED)
		prot |= _PAGE_W;
	if (vm_flags & VM_EXEC)
		prot |= _PAGE_EXEC;
	return __pgprot(prot);
}
