/* SPDX-License-Identifier: GPL-2.0-only */
/* User pages of any address space, from the kernel. */
#include <linux/kernel.h>
#include <linux/mm.h>

/* The page that is mapped with the rights asked for, referenced, or NULL. */
static struct page *follow_page_mask(struct vm_area_struct *vma,
				     unsigned long address, unsigned int flags)
{
	struct mm_struct *mm = vma->vm_mm;
	pmd_t *pmd = mm_alloc_pmd(mm, address);
	struct page *page = NULL;
	pte_t pte;

	if (!pmd || pmd_none(*pmd))
		return NULL;
	spin_lock(&mm->page_table_lock);
	pte = ptep_get(pte_offset(pmd, address));
	if (pte_present(pte) && (!(flags & FOLL_WRITE) || pte_write(pte))) {
		page = pte_page(pte);
		get_page(page);
	}
	spin_unlock(&mm->page_table_lock);
	return page;
}

static struct page *__get_user_page(struct vm_area_struct *vma,
				    unsigned long address, unsigned int flags)
{
	unsigned int fault_flags = FAULT_FLAG_REMOTE |
			(flags & FOLL_WRITE ? FAULT_FLAG_WRITE : 0);
	struct page *page;

	while (!(page = follow_page_mask(vma, address, flags)))
		if (handle_mm_fault(vma, address, fault_flags, NULL) &
		    VM_FAULT_ERROR)
			return NULL;
	return page;
}

/* With mmap_lock held. How many were got, or -EFAULT if not even one. */
long get_user_pages_remote(struct mm_struct *mm, unsigned long start,
			   unsigned long nr_pages, unsigned int gup_flags,
			   struct page **pages)
{
	unsigned long need = gup_flags & FOLL_FORCE ? 0 :
			     gup_flags & FOLL_WRITE ? VM_WRITE : VM_READ;
	struct vm_area_struct *vma;
	unsigned long i;

	for (i = 0; i < nr_pages; i++, start += PAGE_SIZE) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start > start || (vma->vm_flags & need) != need)
			break;
		pages[i] = __get_user_page(vma, start, gup_flags);
		if (!pages[i])
			break;
	}
	return i ? (long)i : -EFAULT;
}
