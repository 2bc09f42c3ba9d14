/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables by the range: copying, clearing, changing, freeing. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <asm/cacheflush.h>
#include <asm/tlbflush.h>

/* The pmd of @addr, or NULL and in @next where to go on looking. */
static inline pmd_t *find_pmd(struct mm_struct *mm, unsigned long addr,
		       unsigned long end, unsigned long *next)
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
 * Pages wait here until no CPU can translate to them any more; only then may
 * others have them.
 */
#define GATHER_MAX	64

struct mmu_gather {
	struct mm_struct *mm;
	unsigned long start;
	unsigned long end;
	unsigned int nr;
	struct page *pages[GATHER_MAX];
	bool written[GATHER_MAX];	/* by a shared mapping */
};

static void tlb_flush_mmu(struct mmu_gather *tlb)
{
	unsigned int i;

	if (tlb->end)
		flush_tlb_mm_range(tlb->mm, tlb->start, tlb->end);
	for (i = 0; i < tlb->nr; i++) {
		if (tlb->written[i])
			folio_mark_dirty(tlb->pages[i]);
		put_page(tlb->pages[i]);
	}
	tlb->nr = 0;
	tlb->end = 0;
}

/* Whoever could write to a file's page may have. */
static inline bool may_have_written(struct vm_area_struct *vma, pte_t pte)
{
	return vma->vm_flags & VM_SHARED && vma->vm_file &&
	       pte_present(pte) && pte_write(pte) && !pte_special(pte);
}

/* Returns false when the gather is full. */
static inline bool tlb_remove_pte(struct mmu_gather *tlb,
			   struct vm_area_struct *vma, pte_t pte,
			   unsigned long addr)
{
	if (!tlb->end)
		tlb->start = addr;
	tlb->end = addr + PAGE_SIZE;
	if (!pte_special(pte)) {
		dec_mm_counter(tlb->mm, pte_page(pte));
		tlb->written[tlb->nr] = may_have_written(vma, pte);
		tlb->pages[tlb->nr++] = pte_page(pte);
	}
	return tlb->nr < GATHER_MAX;
}

/* Returns how far it got. */
static unsigned long zap_pte_range(struct mmu_gather *tlb,
					    struct vm_area_struct *vma, pmd_t *pmd,
					    unsigned long addr,
					    unsigned long end)
{
	pte_t *ptep, pte;
	bool room = true;

	spin_lock(&tlb->mm->page_table_lock);
	ptep = pte_offset(pmd, addr);
	for (; addr < end && room; addr += PAGE_SIZE, ptep++) {
		pte = ptep_get(ptep);
		if (pte_none(pte))
			continue;
		pte_clear(ptep);
		room = tlb_remove_pte(tlb, vma, pte, addr);
	}
	spin_unlock(&tlb->mm->page_table_lock);
	return addr;
}

void unmap_page_range(struct vm_area_struct *vma, unsigned long start,
		      unsigned long end)
{
	struct mmu_gather tlb = { .mm = vma->vm_mm };
	unsigned long addr = start, next;
	pmd_t *pmd;

	while (addr < end) {
		pmd = find_pmd(tlb.mm, addr, end, &next);
		if (pmd)
			next = zap_pte_range(&tlb, vma, pmd, addr, next);
		if (tlb.nr == GATHER_MAX)
			tlb_flush_mmu(&tlb);
		addr = next;
	}
	tlb_flush_mmu(&tlb);
}

void mark_range_dirty(struct vm_area_struct *vma, unsigned long start,
		      unsigned long end)
{
	struct mm_struct *mm = vma->vm_mm;
	unsigned long addr = start, next;
	struct page *page;
	pmd_t *pmd;
	pte_t pte;

	for (; addr < end; addr = next) {
		pmd = find_pmd(mm, addr, end, &next);
		if (!pmd)
			continue;
		for (; addr < next; addr += PAGE_SIZE) {
			page = NULL;
			spin_lock(&mm->page_table_lock);
			pte = ptep_get(pte_offset(pmd, addr));
			if (may_have_written(vma, pte)) {
				page = pte_page(pte);
				get_page(page);
			}
			spin_unlock(&mm->page_table_lock);
			if (page) {
				folio_mark_dirty(page);
				put_page(page);
			}
		}
	}
}

/* Entry by entry, to where @new_vma has them; what is there stays the same. */
int move_page_tables(struct vm_area_struct *vma, unsigned long old_addr,
		     struct vm_area_struct *new_vma, unsigned long new_addr,
		     unsigned long len)
{
	unsigned long start = old_addr, end = old_addr + len, next;
	struct mm_struct *mm = vma->vm_mm;
	pmd_t *old_pmd, *new_pmd;
	pte_t *ptep;

	for (; old_addr < end; old_addr += PAGE_SIZE, new_addr += PAGE_SIZE) {
		old_pmd = find_pmd(mm, old_addr, end, &next);
		if (!old_pmd) {
			new_addr += next - old_addr - PAGE_SIZE;
			old_addr = next - PAGE_SIZE;
			continue;
		}
		new_pmd = mm_alloc_pmd(mm, new_addr);
		if (!new_pmd || pte_alloc(mm, new_pmd))
			return -ENOMEM;
		spin_lock(&mm->page_table_lock);
		ptep = pte_offset(old_pmd, old_addr);
		set_pte(pte_offset(new_pmd, new_addr), ptep_get(ptep));
		pte_clear(ptep);
		spin_unlock(&mm->page_table_lock);
	}
	flush_tlb_mm_range(mm, start, end);
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

/*
 * Of an address space that no CPU uses any more, or ever will again. Tables
 * are listed as they were made, the latest first: none is freed before those
 * that hang on it.
 */
void free_pgtables(struct mm_struct *mm)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &mm->pgtables, lru) {
		WRITE_ONCE(*(unsigned long *)page->index, 0);
		page->mapping = NULL;
		__free_page(page);
	}
	INIT_LIST_HEAD(&mm->pgtables);
	mm->nr_ptes = 0;
}
