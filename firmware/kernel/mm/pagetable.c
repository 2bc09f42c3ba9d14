/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables by the range: finding, copying, moving, changing. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/tlbflush.h>
#include <asm/cacheflush.h>
#include "internal.h"

void pgd_free(pgd_t *pgd)
{
	free_page((unsigned long)pgd);
}

/* The pmd of @addr, or NULL and in @next where to go on looking. */
pmd_t *find_pmd(struct mm_struct *mm, unsigned long addr, unsigned long end,
		unsigned long *next)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	pud_t *pud;
	pmd_t *pmd;

	*next = pgd_addr_end(addr, end);
	if (pgd_none(*pgd))
		return NULL;
	pud = pud_offset(pgd, addr);
	*next = pud_addr_end(addr, end);
	if (pud_none(*pud))
		return NULL;
	pmd = pmd_offset(pud, addr);
	*next = pmd_addr_end(addr, end);
	return pmd_none(*pmd) ? NULL : pmd;
}

/* Both get the page, and whoever writes first a copy of it. */
static void copy_present_pte(struct mm_struct *dst_mm, pte_t *dst, pte_t *src,
			     bool cow)
{
	pte_t pte = ptep_get(src);

	if (cow && pte_write(pte)) {
		pte = pte_wrprotect(pte);
		set_pte(src, pte);
	}
	if (!pte_special(pte)) {
		get_page(pte_page(pte));
		inc_mm_counter(dst_mm, pte_page(pte));
	}
	set_pte(dst, pte);
}

static int copy_pte_range(struct vm_area_struct *dst,
			  struct vm_area_struct *src, pmd_t *src_pmd,
			  unsigned long addr, unsigned long end)
{
	bool cow = !(src->vm_flags & VM_SHARED);
	pmd_t *dst_pmd = mm_alloc_pmd(dst->vm_mm, addr);
	pte_t *src_pte, *dst_pte;

	if (!dst_pmd || pte_alloc(dst->vm_mm, dst_pmd))
		return -ENOMEM;
	spin_lock(&src->vm_mm->page_table_lock);
	src_pte = pte_offset(src_pmd, addr);
	dst_pte = pte_offset(dst_pmd, addr);
	for (; addr < end; addr += PAGE_SIZE, src_pte++, dst_pte++)
		if (!pte_none(ptep_get(src_pte)))
			copy_present_pte(dst->vm_mm, dst_pte, src_pte,
					 cow);
	spin_unlock(&src->vm_mm->page_table_lock);
	return 0;
}

/* A file's pages that nobody has copied can be found again when needed. */
int copy_page_range(struct vm_area_struct *dst, struct vm_area_struct *src)
{
	unsigned long addr, next;
	pmd_t *pmd;
	int err;

	if (!src->anon_vma)
		return 0;
	for (addr = src->vm_start; addr < src->vm_end; addr = next) {
		pmd = find_pmd(src->vm_mm, addr, src->vm_end, &next);
		if (!pmd)
			continue;
		err = copy_pte_range(dst, src, pmd, addr, next);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Who looks for a file's pages, area by area, finds them all: it does not look
 * while some are on their way.
 */
static void move_ptes(struct vm_area_struct *vma, pmd_t *old_pmd,
		      unsigned long old_addr, unsigned long old_end,
		      pmd_t *new_pmd, unsigned long new_addr)
{
	struct address_space *mapping =
		vma->vm_file ? vma->vm_file->f_mapping : NULL;
	struct mm_struct *mm = vma->vm_mm;
	unsigned long start = old_addr;
	pte_t *old_pte, *new_pte;

	if (mapping)
		i_mmap_lock_write(mapping);
	spin_lock(&mm->page_table_lock);
	old_pte = pte_offset(old_pmd, old_addr);
	new_pte = pte_offset(new_pmd, new_addr);
	for (; old_addr < old_end; old_addr += PAGE_SIZE) {
		set_pte(new_pte++, ptep_get(old_pte));
		pte_clear(old_pte++);
	}
	spin_unlock(&mm->page_table_lock);
	flush_tlb_mm_range(mm, start, old_end);
	if (mapping)
		i_mmap_unlock_write(mapping);
}

/* To where @new_vma has them; what is there stays the same. */
int move_page_tables(struct vm_area_struct *vma, unsigned long old_addr,
		     struct vm_area_struct *new_vma, unsigned long new_addr,
		     unsigned long len)
{
	unsigned long end = old_addr + len, next;
	struct mm_struct *mm = vma->vm_mm;
	pmd_t *old_pmd, *new_pmd;

	for (; old_addr < end; new_addr += next - old_addr, old_addr = next) {
		old_pmd = find_pmd(mm, old_addr, end, &next);
		if (!old_pmd)
			continue;
		/* No more than one table of either. */
		next = old_addr + min(next - old_addr,
				      PMD_SIZE - (new_addr & (PMD_SIZE - 1)));
		new_pmd = mm_alloc_pmd(mm, new_addr);
		if (!new_pmd || pte_alloc(mm, new_pmd))
			return -ENOMEM;
		move_ptes(vma, old_pmd, old_addr, next, new_pmd, new_addr);
	}
	return 0;
}

/* What may be written is found out by faults, whatever was so before. */
static void change_pte_range(struct vm_area_struct *vma, pmd_t *pmd,
			     unsigned long addr, unsigned long end)
{
	pte_t *ptep, pte;

	spin_lock(&vma->vm_mm->page_table_lock);
	ptep = pte_offset(pmd, addr);
	for (; addr < end; addr += PAGE_SIZE, ptep++) {
		pte = ptep_get(ptep);
		if (pte_none(pte))
			continue;
		if (!pte_special(pte))
			flush_icache_page(vma, pte_page(pte));
		pte = pte_modify(pte, vma->vm_page_prot);
		set_pte(ptep, pte_wrprotect(pte));
	}
	spin_unlock(&vma->vm_mm->page_table_lock);
}

/* To what vma->vm_page_prot has become. */
void change_protection(struct vm_area_struct *vma, unsigned long start,
		       unsigned long end)
{
	unsigned long addr, next;
	pmd_t *pmd;

	for (addr = start; addr < end; addr = next) {
		pmd = find_pmd(vma->vm_mm, addr, end, &next);
		if (pmd)
			change_pte_range(vma, pmd, addr, next);
	}
	flush_tlb_mm_range(vma->vm_mm, start, end);
}
