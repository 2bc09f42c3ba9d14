/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking mappings away: pages, and the page tables that map no more. */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/tlbflush.h>
#include "internal.h"

void tlb_gather_mmu(struct mmu_gather *tlb, struct mm_struct *mm)
{
	tlb->mm = mm;
	tlb->end = 0;
	tlb->keep_cows = false;
	tlb->nr = 0;
}

/*
 * Pages are let go only when no CPU can translate to them any more. With no
 * page table locked.
 */
static void tlb_flush_mmu(struct mmu_gather *tlb)
{
	if (tlb->end)
		flush_tlb_mm_range(tlb->mm, tlb->start, tlb->end);
	release_pages(tlb->pages, tlb->nr);
	tlb->nr = 0;
	tlb->end = 0;
}

void tlb_finish_mmu(struct mmu_gather *tlb)
{
	tlb_flush_mmu(tlb);
}

static inline void tlb_note_address(struct mmu_gather *tlb, unsigned long addr)
{
	if (!tlb->end || addr < tlb->start)
		tlb->start = addr;
	if (addr + PAGE_SIZE > tlb->end)
		tlb->end = addr + PAGE_SIZE;
}

/* Returns how far it got: the gather may be full. */
static unsigned long zap_pte_range(struct mmu_gather *tlb, pmd_t *pmd,
				   unsigned long addr, unsigned long end)
{
	pte_t *ptep, pte;

	spin_lock(&tlb->mm->page_table_lock);
	ptep = pte_offset(pmd, addr);
	for (; addr < end && tlb->nr < GATHER_MAX; addr += PAGE_SIZE, ptep++) {
		pte = ptep_get(ptep);
		if (pte_none(pte) ||
		    (tlb->keep_cows && PageAnon(pte_page(pte))))
			continue;
		pte_clear(ptep);
		tlb_note_address(tlb, addr);
		if (pte_special(pte))
			continue;
		dec_mm_counter(tlb->mm, pte_page(pte));
		tlb->pages[tlb->nr++] = pte_page(pte);
	}
	spin_unlock(&tlb->mm->page_table_lock);
	return addr;
}

/*
 * With mmap_lock or i_mmap_rwsem held, so that the tables stay, or as the last
 * user.
 */
static void unmap_page_range(struct mmu_gather *tlb, unsigned long addr,
			     unsigned long end)
{
	unsigned long next;
	pmd_t *pmd;

	for (; addr < end; addr = next) {
		pmd = find_pmd(tlb->mm, addr, end, &next);
		if (pmd)
			next = zap_pte_range(tlb, pmd, addr, next);
		if (tlb->nr == GATHER_MAX)
			tlb_flush_mmu(tlb);
	}
}

void unmap_vmas(struct mmu_gather *tlb, struct list_head *areas)
{
	struct vm_area_struct *vma;

	list_for_each_entry(vma, areas, vm_node)
		unmap_page_range(tlb, vma->vm_start, vma->vm_end);
}

/* What is mapped goes; it will come back as it is then. */
void zap_page_range_single(struct vm_area_struct *vma, unsigned long address,
			   unsigned long size)
{
	struct mmu_gather tlb;

	tlb_gather_mmu(&tlb, vma->vm_mm);
	unmap_page_range(&tlb, address, address + size);
	tlb_finish_mmu(&tlb);
}

/* The part of one area that shows the pages first to last of its file. */
static void unmap_mapping_range_vma(struct vm_area_struct *vma, pgoff_t first,
				    pgoff_t last, bool even_cows)
{
	pgoff_t pages = (vma->vm_end - vma->vm_start) >> PAGE_SHIFT;
	pgoff_t end = min(last - vma->vm_pgoff, pages - 1) + 1;
	struct mmu_gather tlb;

	first = max(first, vma->vm_pgoff) - vma->vm_pgoff;
	tlb_gather_mmu(&tlb, vma->vm_mm);
	tlb.keep_cows = !even_cows;
	unmap_page_range(&tlb, vma->vm_start + (first << PAGE_SHIFT),
			 vma->vm_start + (end << PAGE_SHIFT));
	tlb_finish_mmu(&tlb);
}

/*
 * A hole in a file, to its end if @holelen is 0: no program sees its pages any
 * more. @even_cows: nor what programs have copied from them. May sleep on
 * i_mmap_rwsem.
 */
void unmap_mapping_range(struct address_space *mapping, loff_t holebegin,
			 loff_t holelen, int even_cows)
{
	pgoff_t first = (u64)holebegin >> PAGE_SHIFT, last = ULONG_MAX;
	struct vm_area_struct *vma;

	if (holelen)
		last = ((u64)holebegin + holelen - 1) >> PAGE_SHIFT;
	i_mmap_lock_read(mapping);
	list_for_each_entry(vma, &mapping->i_mmap, shared) {
		pgoff_t pages = (vma->vm_end - vma->vm_start) >> PAGE_SHIFT;

		if (vma->vm_pgoff <= last && vma->vm_pgoff + pages > first)
			unmap_mapping_range_vma(vma, first, last, even_cows);
	}
	i_mmap_unlock_read(mapping);
}

/*
 * Whether all that a table translates, @size around @addr, lies between the
 * areas on both sides. A @ceiling of 0 is the end of all.
 */
static inline bool table_unused(unsigned long addr, unsigned long size,
				unsigned long floor, unsigned long ceiling)
{
	unsigned long first = addr & ~(size - 1);

	return first >= floor && first + (size - 1) <= ceiling - 1;
}

/* Others may be walking it right now: they will be flushed. */
static void tlb_remove_table(struct mmu_gather *tlb, void *table,
			     unsigned long addr)
{
	spin_lock(&tlb->mm->page_table_lock);
	tlb->mm->nr_ptes--;
	spin_unlock(&tlb->mm->page_table_lock);
	tlb_note_address(tlb, addr & PAGE_MASK);
	tlb->pages[tlb->nr++] = virt_to_page(table);
	if (tlb->nr == GATHER_MAX)
		tlb_flush_mmu(tlb);
}

static void free_pmd_range(struct mmu_gather *tlb, pud_t *pud,
			   unsigned long addr, unsigned long end,
			   unsigned long floor, unsigned long ceiling)
{
	pmd_t *pmd = pmd_offset(pud, addr);
	unsigned long at, next;
	void *table;

	for (at = addr; at < end; at = next, pmd++) {
		next = pmd_addr_end(at, end);
		if (pmd_none(*pmd) ||
		    !table_unused(at, PMD_SIZE, floor, ceiling))
			continue;
		table = pmd_page_vaddr(*pmd);
		pmd_clear(pmd);
		tlb_remove_table(tlb, table, at);
	}
	if (table_unused(addr, PUD_SIZE, floor, ceiling)) {
		table = pud_page_vaddr(*pud);
		pud_clear(pud);
		tlb_remove_table(tlb, table, addr);
	}
}

static void free_pud_range(struct mmu_gather *tlb, pgd_t *pgd,
			   unsigned long addr, unsigned long end,
			   unsigned long floor, unsigned long ceiling)
{
	pud_t *pud = pud_offset(pgd, addr);
	unsigned long at, next;
	void *table;

	for (at = addr; at < end; at = next, pud++) {
		next = pud_addr_end(at, end);
		if (!pud_none(*pud))
			free_pmd_range(tlb, pud, at, next, floor, ceiling);
	}
	if (PTRS_PER_PUD > 1 && table_unused(addr, PGDIR_SIZE, floor, ceiling)) {
		table = pgd_page_vaddr(*pgd);
		pgd_clear(pgd);
		tlb_remove_table(tlb, table, addr);
	}
}

static void free_pgd_range(struct mmu_gather *tlb, unsigned long addr,
			   unsigned long end, unsigned long floor,
			   unsigned long ceiling)
{
	pgd_t *pgd = pgd_offset(tlb->mm, addr);
	unsigned long next;

	for (; addr < end; addr = next, pgd++) {
		next = pgd_addr_end(addr, end);
		if (!pgd_none(*pgd))
			free_pud_range(tlb, pgd, addr, next, floor, ceiling);
	}
}

/*
 * The tables that only these areas need, whose pages are gone; they lie between
 * @floor and @ceiling. Each area leaves its file first, so that no rmap walk
 * meets its tables; then it frees those that the next does not share.
 */
void free_pgtables(struct mmu_gather *tlb, struct list_head *areas,
		   unsigned long floor, unsigned long ceiling)
{
	struct vm_area_struct *vma;
	unsigned long limit;

	list_for_each_entry(vma, areas, vm_node) {
		unlink_file_vma(vma);
		limit = list_is_last(&vma->vm_node, areas) ? ceiling :
			list_next_entry(vma, vm_node)->vm_start;
		free_pgd_range(tlb, vma->vm_start, vma->vm_end, floor, limit);
	}
}
