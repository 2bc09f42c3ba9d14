/* SPDX-License-Identifier: GPL-2.0-only */
/* From a file's page to the entries that map it. */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/tlbflush.h>
#include "internal.h"

/*
 * Called with i_mmap_rwsem held: the area is its file's, and the tables stay.
 * Returns the entry that maps the page, with the table locked; NULL: there is
 * none, and no lock is held.
 */
static pte_t *page_vma_mapped_walk(struct page *page,
				   struct vm_area_struct *vma,
				   unsigned long address)
{
	unsigned long next;
	pmd_t *pmd = find_pmd(vma->vm_mm, address, address + PAGE_SIZE, &next);
	pte_t *ptep, pte;

	if (!pmd)
		return NULL;
	spin_lock(&vma->vm_mm->page_table_lock);
	ptep = pte_offset(pmd, address);
	pte = ptep_get(ptep);
	if (!pte_none(pte) && !pte_special(pte) && pte_page(pte) == page)
		return ptep;
	spin_unlock(&vma->vm_mm->page_table_lock);
	return NULL;
}

/* Read-only until the next store, which the file system will hear of. */
static int page_mkclean_one(struct page *page, struct vm_area_struct *vma,
			    unsigned long address)
{
	pte_t *ptep = page_vma_mapped_walk(page, vma, address);
	bool written;

	if (!ptep)
		return 0;
	written = pte_write(ptep_get(ptep));
	if (written) {
		set_pte(ptep, pte_mkclean(pte_wrprotect(ptep_get(ptep))));
		flush_tlb_page(vma, address);
	}
	spin_unlock(&vma->vm_mm->page_table_lock);
	return written;
}

/* The entry's reference to the page goes with it. */
static int try_to_unmap_one(struct page *page, struct vm_area_struct *vma,
			    unsigned long address)
{
	pte_t *ptep = page_vma_mapped_walk(page, vma, address);

	if (!ptep)
		return 0;
	pte_clear(ptep);
	flush_tlb_page(vma, address);
	dec_mm_counter(vma->vm_mm, page);
	spin_unlock(&vma->vm_mm->page_table_lock);
	put_page(page);
	return 1;
}

/*
 * For every area that can show the page: the sum of what @rmap_one returns.
 * With the page locked and i_mmap_rwsem held for reading.
 */
static int rmap_walk_file(struct page *page,
			  int (*rmap_one)(struct page *page,
					  struct vm_area_struct *vma,
					  unsigned long address))
{
	struct vm_area_struct *vma;
	unsigned long address;
	int sum = 0;

	list_for_each_entry(vma, &page->mapping->i_mmap, shared) {
		address = vma->vm_start +
			  ((page->index - vma->vm_pgoff) << PAGE_SHIFT);
		if (page->index >= vma->vm_pgoff && address < vma->vm_end)
			sum += rmap_one(page, vma, address);
	}
	return sum;
}

/*
 * The page is locked. How many could write to it, and no longer can. May sleep
 * on i_mmap_rwsem.
 */
int folio_mkclean(struct page *page)
{
	struct address_space *mapping = page->mapping;
	int cleaned;

	if (list_empty(&mapping->i_mmap))
		return 0;
	i_mmap_lock_read(mapping);
	cleaned = rmap_walk_file(page, page_mkclean_one);
	i_mmap_unlock_read(mapping);
	return cleaned;
}

/* The page is locked. Does not wait: false, if it would have to. */
bool try_to_unmap(struct page *page)
{
	struct address_space *mapping = page->mapping;

	if (list_empty(&mapping->i_mmap))
		return true;
	if (!i_mmap_trylock_read(mapping))
		return false;
	rmap_walk_file(page, try_to_unmap_one);
	i_mmap_unlock_read(mapping);
	return true;
}
