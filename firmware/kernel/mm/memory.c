/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: finding or making the page that an address should have. */
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tlbflush.h>
#include <linux/writeback.h>
#include <trace/events/kmem.h>
#include <asm/cacheflush.h>
#include <asm/ptrace.h>

/*
 * A level of the page table that was missing: someone else may have been
 * faster, then theirs stays.
 */
#define DEFINE_TABLE_ALLOC(name, type, none, populate)			\
	static int name(struct mm_struct *mm, type *entry)	\
	{								\
		unsigned long table = get_zeroed_page(GFP_KERNEL);	\
									\
		if (!table)						\
			return -ENOMEM;					\
		spin_lock(&mm->page_table_lock);			\
		if (none(*entry)) {					\
			populate(entry, table);				\
			mm->nr_ptes++;					\
			table = 0;					\
		}							\
		spin_unlock(&mm->page_table_lock);			\
		free_page(table);					\
		return 0;						\
	}

DEFINE_TABLE_ALLOC(__pud_alloc, pgd_t, pgd_none, pgd_populate)
DEFINE_TABLE_ALLOC(__pmd_alloc, pud_t, pud_none, pud_populate)
DEFINE_TABLE_ALLOC(__pte_alloc, pmd_t, pmd_none, pmd_populate)

/*
 * The entry for @address's table of ptes, which may be missing itself. May
 * sleep; NULL: no memory.
 */
pmd_t *mm_alloc_pmd(struct mm_struct *mm, unsigned long address)
{
	pgd_t *pgd = pgd_offset(mm, address);
	pud_t *pud;

	if (pgd_none(*pgd) && __pud_alloc(mm, pgd))
		return NULL;
	pud = pud_offset(pgd, address);
	if (pud_none(*pud) && __pmd_alloc(mm, pud))
		return NULL;
	return pmd_offset(pud, address);
}

int pte_alloc(struct mm_struct *mm, pmd_t *pmd)
{
	return pmd_none(*pmd) ? __pte_alloc(mm, pmd) : 0;
}

void mm_trace_rss_stat(struct mm_struct *mm, int member)
{
	trace_rss_stat(mm, member, member == MM_ANONPAGES ? mm->rss_anon :
							    mm->rss_file);
}

static inline void lock_pte(struct vm_fault *vmf)
{
	struct mm_struct *mm = vmf->vma->vm_mm;

	spin_lock(&mm->page_table_lock);
	vmf->pte = pte_offset(vmf->pmd, vmf->address);
}

static inline void unlock_pte(struct vm_fault *vmf)
{
	spin_unlock(&vmf->vma->vm_mm->page_table_lock);
}

/*
 * Maps vmf->page unless the entry has changed since it was read. Takes the
 * table's lock. The entry's reference is the caller's, who keeps it if the
 * result is false.
 */
static bool do_set_pte(struct vm_fault *vmf, struct page *page, bool write)
{
	struct vm_area_struct *vma = vmf->vma;
	pte_t entry = pte_mkyoung(mk_pte(page, vma->vm_page_prot));
	bool same;

	if (write)
		entry = pte_mkdirty(pte_mkwrite(entry));
	flush_icache_page(vma, page);
	lock_pte(vmf);
	same = pte_same(ptep_get(vmf->pte), vmf->orig_pte);
	if (same) {
		if (pte_present(vmf->orig_pte) && !pte_special(vmf->orig_pte))
			dec_mm_counter(vma->vm_mm, pte_page(vmf->orig_pte));
		inc_mm_counter(vma->vm_mm, page);
		set_pte(vmf->pte, entry);
	}
	unlock_pte(vmf);
	return same;
}

/* The entry was none; reads get the page of zeroes until they write. */
static vm_fault_t do_anonymous_page(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct page *page;
	pte_t entry;

	if (!(vmf->flags & FAULT_FLAG_WRITE) && !(vma->vm_flags & VM_EXEC)) {
		entry = pte_mkspecial(mk_pte(empty_zero_page,
					     vma->vm_page_prot));
		lock_pte(vmf);
		if (pte_none(ptep_get(vmf->pte)))
			set_pte(vmf->pte, pte_wrprotect(entry));
		unlock_pte(vmf);
		return 0;
	}
	page = alloc_page(GFP_HIGHUSER_MOVABLE | __GFP_ZERO);
	if (!page)
		return VM_FAULT_OOM;
	set_bit(PG_anon, &page->flags);
	vma->anon_vma = true;
	if (!do_set_pte(vmf, page, vma->vm_flags & VM_WRITE))
		put_page(page);
	return 0;
}

/*
 * The file's page, locked and referenced: it is the file's until it is
 * unlocked. May sleep.
 */
static vm_fault_t __do_fault(struct vm_fault *vmf)
{
	vm_fault_t ret = vmf->vma->vm_ops->fault(vmf);

	if (ret & VM_FAULT_ERROR)
		return ret;
	if (!(ret & VM_FAULT_LOCKED))
		lock_page(vmf->page);
	return ret & VM_FAULT_MAJOR;
}

/* For all to see. */
static vm_fault_t do_read_fault(struct vm_fault *vmf)
{
	vm_fault_t ret = __do_fault(vmf);
	bool mapped;

	if (ret & VM_FAULT_ERROR)
		return ret;
	mapped = do_set_pte(vmf, vmf->page, false);
	unlock_page(vmf->page);
	if (!mapped)
		put_page(vmf->page);
	return ret;
}

/* A private copy at once: the write follows. */
static vm_fault_t do_cow_fault(struct vm_fault *vmf)
{
	struct page *cow_page = alloc_page(GFP_HIGHUSER_MOVABLE);
	vm_fault_t ret;

	if (!cow_page)
		return VM_FAULT_OOM;
	ret = __do_fault(vmf);
	if (ret & VM_FAULT_ERROR) {
		put_page(cow_page);
		return ret;
	}
	copy_page(page_address(cow_page), page_address(vmf->page));
	set_bit(PG_anon, &cow_page->flags);
	vmf->vma->anon_vma = true;
	if (!do_set_pte(vmf, cow_page, true))
		put_page(cow_page);
	unlock_page(vmf->page);
	put_page(vmf->page);
	return ret;
}

/*
 * The file system hears that the page will change. Called with the page
 * referenced, not locked; VM_FAULT_LOCKED: it is locked now, and still the
 * file's.
 */
static vm_fault_t do_page_mkwrite(struct vm_fault *vmf)
{
	struct page *page = vmf->page;
	vm_fault_t ret = vmf->vma->vm_ops->page_mkwrite(vmf);

	if (ret & (VM_FAULT_ERROR | VM_FAULT_NOPAGE))
		return ret;
	if (!(ret & VM_FAULT_LOCKED)) {
		lock_page(page);
		if (!page->mapping) {
			unlock_page(page);
			return VM_FAULT_NOPAGE;
		}
	}
	return VM_FAULT_LOCKED;
}

/*
 * It may be written from now on, and is dirty until that ends. Called with the
 * page locked, and unlocks it.
 */
static void fault_dirty_shared_page(struct vm_fault *vmf)
{
	struct address_space *mapping = vmf->page->mapping;

	folio_mark_dirty(vmf->page);
	unlock_page(vmf->page);
	if (mapping)
		balance_dirty_pages_ratelimited(mapping);
}

static vm_fault_t do_shared_fault(struct vm_fault *vmf)
{
	vm_fault_t ret = __do_fault(vmf), tmp;

	if (ret & VM_FAULT_ERROR)
		return ret;
	if (vmf->vma->vm_ops->page_mkwrite) {
		unlock_page(vmf->page);
		tmp = do_page_mkwrite(vmf);
		if (tmp & (VM_FAULT_ERROR | VM_FAULT_NOPAGE)) {
			put_page(vmf->page);
			return tmp;
		}
	}
	if (!do_set_pte(vmf, vmf->page, true)) {
		unlock_page(vmf->page);
		put_page(vmf->page);
		return ret;
	}
	fault_dirty_shared_page(vmf);
	return ret;
}

/* Called with mmap_lock held, and no page table's; may sleep. */
static vm_fault_t do_fault(struct vm_fault *vmf)
{
	if (!(vmf->flags & FAULT_FLAG_WRITE))
		return do_read_fault(vmf);
	if (!(vmf->vma->vm_flags & VM_SHARED))
		return do_cow_fault(vmf);
	return do_shared_fault(vmf);
}

/*
 * It becomes writable where it is. Called with the table locked, and unlocks
 * it.
 */
static void wp_page_reuse(struct vm_fault *vmf)
{
	set_pte(vmf->pte, pte_mkyoung(pte_mkdirty(pte_mkwrite(vmf->orig_pte))));
	flush_tlb_page(vmf->vma, vmf->address);
	unlock_pte(vmf);
}

/* A file's page, unless the entry has changed since it was looked at. */
static vm_fault_t finish_mkwrite_fault(struct vm_fault *vmf)
{
	lock_pte(vmf);
	if (!pte_same(ptep_get(vmf->pte), vmf->orig_pte)) {
		unlock_pte(vmf);
		return VM_FAULT_NOPAGE;
	}
	wp_page_reuse(vmf);
	return 0;
}

/*
 * The first write since it was last clean. Called with the table locked, and
 * unlocks it.
 */
static vm_fault_t wp_page_shared(struct vm_fault *vmf)
{
	const struct vm_operations_struct *ops = vmf->vma->vm_ops;
	vm_fault_t ret;

	if (!ops || !ops->page_mkwrite) {
		wp_page_reuse(vmf);
		return 0;
	}
	get_page(vmf->page);
	unlock_pte(vmf);
	ret = do_page_mkwrite(vmf);
	if (ret & VM_FAULT_LOCKED) {
		ret = finish_mkwrite_fault(vmf);
		if (ret)
			unlock_page(vmf->page);
		else
			fault_dirty_shared_page(vmf);
	}
	put_page(vmf->page);
	return ret;
}

/*
 * With a reference to the old page, which goes away here, and no table locked.
 */
static vm_fault_t wp_page_copy(struct vm_fault *vmf, struct page *old)
{
	struct page *new = alloc_page(GFP_HIGHUSER_MOVABLE);
	struct vm_area_struct *vma = vmf->vma;

	if (!new) {
		put_page(old);
		return VM_FAULT_OOM;
	}
	copy_page(page_address(new), page_address(old));
	set_bit(PG_anon, &new->flags);
	vma->anon_vma = true;
	if (do_set_pte(vmf, new, true)) {
		flush_tlb_page(vma, vmf->address);
		/* The entry's reference to what it mapped before. */
		if (!pte_special(vmf->orig_pte))
			put_page(old);
	} else {
		put_page(new);
	}
	put_page(old);
	return 0;
}

/*
 * A write to a page that is there, but read-only. Called with mmap_lock held
 * and the table locked, and unlocks the table.
 */
static vm_fault_t do_wp_page(struct vm_fault *vmf)
{
	struct page *page = vmf->page = pte_page(vmf->orig_pte);

	if (vmf->vma->vm_flags & VM_SHARED)
		return wp_page_shared(vmf);
	if (!pte_special(vmf->orig_pte) && !page->mapping &&
	    page_count(page) == 1) {
		wp_page_reuse(vmf);
		return 0;
	}
	get_page(page);
	unlock_pte(vmf);
	return wp_page_copy(vmf, page);
}

/*
 * Called with mmap_lock held, and no page table's. An entry that has changed
 * meanwhile is left to the next fault.
 */
static vm_fault_t handle_pte_fault(struct vm_fault *vmf)
{
	vmf->pte = pte_offset(vmf->pmd, vmf->address);
	vmf->orig_pte = ptep_get(vmf->pte);
	if (pte_none(vmf->orig_pte))
		return vmf->vma->vm_ops ? do_fault(vmf) :
					  do_anonymous_page(vmf);
	if (!(vmf->flags & FAULT_FLAG_WRITE))
		return 0;
	lock_pte(vmf);
	if (pte_same(ptep_get(vmf->pte), vmf->orig_pte) &&
	    !pte_write(vmf->orig_pte))
		return do_wp_page(vmf);
	unlock_pte(vmf);
	return 0;
}

static vm_fault_t __handle_mm_fault(struct vm_area_struct *vma,
				    unsigned long address, unsigned int flags)
{
	struct vm_fault vmf = {
		.vma = vma,
		.address = address & PAGE_MASK,
		.flags = flags,
		.pgoff = ((address - vma->vm_start) >> PAGE_SHIFT) +
			 vma->vm_pgoff,
	};

	vmf.pmd = mm_alloc_pmd(vma->vm_mm, address);
	if (!vmf.pmd || pte_alloc(vma->vm_mm, vmf.pmd))
		return VM_FAULT_OOM;
	return handle_pte_fault(&vmf);
}

static inline void mm_account_fault(vm_fault_t ret)
{
	if (ret & VM_FAULT_ERROR)
		return;
	if (ret & VM_FAULT_MAJOR)
		current->maj_flt++;
	else
		current->min_flt++;
}

/*
 * Called with mmap_lock held, which stays held, and the access known to be
 * allowed. May sleep.
 */
vm_fault_t handle_mm_fault(struct vm_area_struct *vma, unsigned long address,
			   unsigned int flags, struct pt_regs *regs)
{
	vm_fault_t ret = __handle_mm_fault(vma, address, flags);

	mm_account_fault(ret);
	return ret;
}

/*
 * Returns with mmap_lock held for reading; NULL: not held. The kernel takes a
 * fault on a user address only in code that expects it; anything else is a bug,
 * and might already hold the lock.
 */
struct vm_area_struct *
lock_mm_and_find_vma(struct mm_struct *mm, unsigned long address,
		     struct pt_regs *regs)
{
	struct vm_area_struct *vma;

	if (!mmap_read_trylock(mm)) {
		if (!user_mode(regs) &&
		    !search_exception_tables(instruction_pointer(regs)))
			return NULL;
		mmap_read_lock(mm);
	}
	vma = find_vma(mm, address);
	if (vma && vma->vm_start <= address)
		return vma;
	if (vma && vma->vm_flags & VM_GROWSDOWN && !expand_stack(vma, address))
		return vma;
	mmap_read_unlock(mm);
	return NULL;
}
