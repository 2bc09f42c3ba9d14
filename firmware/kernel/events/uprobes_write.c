/* SPDX-License-Identifier: GPL-2.0-only */
/* Breakpoints in programs, and the counters that tell programs of them. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tlbflush.h>
#include <asm/cacheflush.h>

#include "internal.h"

/*
 * A counter that is not mapped yet while its breakpoint is there already: it
 * is incremented when it comes.
 */
struct delayed_uprobe {
	struct list_head list;
	struct uprobe *uprobe;
	struct mm_struct *mm;
};

static DEFINE_MUTEX(delayed_uprobe_lock);
static LIST_HEAD(delayed_uprobe_list);

/* The page that the area shows at an address, whatever may be done there. */
static struct page *get_page_at(struct vm_area_struct *vma, unsigned long vaddr,
				unsigned int gup_flags)
{
	struct page *page;

	return get_user_pages_remote(vma->vm_mm, vaddr & PAGE_MASK, 1,
				     gup_flags | FOLL_FORCE, &page) == 1 ?
	       page : NULL;
}

static inline void *place_in(struct page *page, unsigned long vaddr)
{
	return page_address(page) + offset_in_page(vaddr);
}

static inline bool holds_swbp(struct page *page, unsigned long vaddr)
{
	return *(uprobe_opcode_t *)place_in(page, vaddr) == UPROBE_SWBP_INSN;
}

int is_swbp_at_addr(struct vm_area_struct *vma, unsigned long vaddr)
{
	struct page *page = get_page_at(vma, vaddr, 0);
	bool swbp;

	if (!page)
		return -EFAULT;
	swbp = holds_swbp(page, vaddr);
	put_page(page);
	return swbp;
}

/*
 * With the page table locked: the entry of a page that has just been found, or
 * NULL: it has changed since.
 */
static pte_t *pte_of(struct vm_area_struct *vma, unsigned long vaddr,
		     struct page *page)
{
	pmd_t *pmd = mm_alloc_pmd(vma->vm_mm, vaddr);
	pte_t *ptep;

	if (!pmd || pmd_none(*pmd))
		return NULL;
	ptep = pte_offset(pmd, vaddr);
	return pte_present(ptep_get(ptep)) &&
	       pte_page(ptep_get(ptep)) == page ? ptep : NULL;
}

/* Nobody else has this copy of the file's page. With the table locked. */
static inline bool page_is_ours(struct page *page)
{
	return PageAnon(page) && page_count(page) == 2;
}

/*
 * The page becomes @new, whose reference becomes the table's; @old's is put.
 * False: the area does not show @old any more.
 */
static bool __replace_page(struct vm_area_struct *vma, unsigned long vaddr,
			   struct page *old, struct page *new)
{
	struct mm_struct *mm = vma->vm_mm;
	pte_t *ptep;

	spin_lock(&mm->page_table_lock);
	ptep = pte_of(vma, vaddr, old);
	if (ptep) {
		dec_mm_counter(mm, old);
		inc_mm_counter(mm, new);
		set_pte(ptep, pte_wrprotect(pte_mkyoung(
				mk_pte(new, vma->vm_page_prot))));
		flush_tlb_page(vma, vaddr & PAGE_MASK);
	}
	spin_unlock(&mm->page_table_lock);
	if (ptep)
		put_page(old);
	return ptep;
}

/* In a copy of the page, which others show, too. */
static int write_to_copy(struct vm_area_struct *vma, unsigned long vaddr,
			 struct page *old, uprobe_opcode_t opcode)
{
	struct page *new = alloc_page(GFP_HIGHUSER_MOVABLE);

	if (!new)
		return -ENOMEM;
	copy_page(page_address(new), page_address(old));
	*(uprobe_opcode_t *)place_in(new, vaddr) = opcode;
	set_bit(PG_anon, &new->flags);
	vma->anon_vma = true;
	flush_icache_page(vma, new);
	if (__replace_page(vma, vaddr, old, new))
		return 0;
	put_page(new);
	return -EAGAIN;
}

/* One store: CPUs execute what was there, or what is. */
static bool write_in_place(struct vm_area_struct *vma, unsigned long vaddr,
			   struct page *page, uprobe_opcode_t opcode)
{
	struct mm_struct *mm = vma->vm_mm;
	bool ours;

	spin_lock(&mm->page_table_lock);
	ours = page_is_ours(page) && pte_of(vma, vaddr, page);
	if (ours) {
		WRITE_ONCE(*(uprobe_opcode_t *)place_in(page, vaddr), opcode);
		flush_dcache_page(page);
		flush_icache_page(vma, page);
	}
	spin_unlock(&mm->page_table_lock);
	return ours;
}

/* 1: it was the other way round before. */
static int uprobe_write_opcode(struct vm_area_struct *vma, unsigned long vaddr,
			       uprobe_opcode_t opcode)
{
	bool is_register = opcode == UPROBE_SWBP_INSN;
	struct page *page;
	int err;

	do {
		page = get_page_at(vma, vaddr, 0);
		if (!page)
			return -EFAULT;
		if (holds_swbp(page, vaddr) == is_register) {
			put_page(page);
			return 0;
		}
		err = write_in_place(vma, vaddr, page, opcode) ? 0 :
		      write_to_copy(vma, vaddr, page, opcode);
		put_page(page);
	} while (err == -EAGAIN);
	return err ? err : 1;
}

/* The area with the program's own copy of the counter. With mmap_lock held. */
static struct vm_area_struct *find_ref_ctr_vma(struct uprobe *uprobe,
					       struct mm_struct *mm)
{
	struct vm_area_struct *vma;

	list_for_each_entry(vma, &mm->mmap, vm_node)
		if (vma->vm_file && file_inode(vma->vm_file) == uprobe->inode &&
		    (vma->vm_flags & (VM_WRITE | VM_SHARED)) == VM_WRITE &&
		    vma_has_offset(vma, uprobe->ref_ctr_offset))
			return vma;
	return NULL;
}

static int __update_ref_ctr(struct uprobe *uprobe, struct vm_area_struct *vma,
			    short d)
{
	unsigned long vaddr = offset_to_vaddr(vma, uprobe->ref_ctr_offset);
	struct page *page = get_page_at(vma, vaddr, FOLL_WRITE);
	short *counter;

	if (!page)
		return -EFAULT;
	counter = place_in(page, vaddr);
	/* Never below zero, whatever the program has done to it. */
	if (*counter + d >= 0)
		__atomic_fetch_add(counter, d, __ATOMIC_RELAXED);
	put_page(page);
	return 0;
}

/* NULL stands for all. */
void delayed_uprobe_remove(struct uprobe *uprobe, struct mm_struct *mm)
{
	struct delayed_uprobe *du, *next;

	mutex_lock(&delayed_uprobe_lock);
	list_for_each_entry_safe(du, next, &delayed_uprobe_list, list) {
		if ((uprobe && du->uprobe != uprobe) || (mm && du->mm != mm))
			continue;
		list_del(&du->list);
		kfree(du);
	}
	mutex_unlock(&delayed_uprobe_lock);
}

static int delayed_uprobe_add(struct uprobe *uprobe, struct mm_struct *mm)
{
	struct delayed_uprobe *du = kzalloc(sizeof(*du), GFP_KERNEL);

	if (!du)
		return -ENOMEM;
	du->uprobe = uprobe;
	du->mm = mm;
	mutex_lock(&delayed_uprobe_lock);
	list_add_tail(&du->list, &delayed_uprobe_list);
	mutex_unlock(&delayed_uprobe_lock);
	return 0;
}

void delayed_ref_ctr_inc(struct vm_area_struct *vma)
{
	struct delayed_uprobe *du, *next;

	mutex_lock(&delayed_uprobe_lock);
	list_for_each_entry_safe(du, next, &delayed_uprobe_list, list) {
		if (du->mm != vma->vm_mm ||
		    find_ref_ctr_vma(du->uprobe, vma->vm_mm) != vma)
			continue;
		__update_ref_ctr(du->uprobe, vma, 1);
		list_del(&du->list);
		kfree(du);
	}
	mutex_unlock(&delayed_uprobe_lock);
}

static int update_ref_ctr(struct uprobe *uprobe, struct mm_struct *mm, short d)
{
	struct vm_area_struct *vma = find_ref_ctr_vma(uprobe, mm);

	if (vma)
		return __update_ref_ctr(uprobe, vma, d);
	if (d > 0)
		return delayed_uprobe_add(uprobe, mm);
	delayed_uprobe_remove(uprobe, mm);
	return 0;
}

int set_swbp(struct uprobe *uprobe, struct vm_area_struct *vma,
	     unsigned long vaddr)
{
	struct mm_struct *mm = vma->vm_mm;
	int ret;

	/* Before anybody can hit it. */
	mm->uprobes_state.has_uprobes = true;
	ret = uprobe_write_opcode(vma, vaddr, UPROBE_SWBP_INSN);
	if (ret > 0 && uprobe->ref_ctr_offset)
		update_ref_ctr(uprobe, mm, 1);
	return ret;
}

int set_orig_insn(struct uprobe *uprobe, struct vm_area_struct *vma,
		  unsigned long vaddr)
{
	uprobe_opcode_t opcode = *(uprobe_opcode_t *)uprobe->arch.insn;
	int ret = uprobe_write_opcode(vma, vaddr, opcode);

	if (ret > 0 && uprobe->ref_ctr_offset)
		update_ref_ctr(uprobe, vma->vm_mm, -1);
	return ret;
}
