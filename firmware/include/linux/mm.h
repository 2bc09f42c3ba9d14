/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory management as the rest of the kernel uses it. */
#ifndef _LINUX_MM_H
#define _LINUX_MM_H

#include <linux/mm_types.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/sched.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/tracepoint-defs.h>
#include <asm/pgtable.h>

#define VM_READ		0x00000001
#define VM_WRITE	0x00000002
#define VM_EXEC		0x00000004
#define VM_SHARED	0x00000008
#define VM_MAYREAD	0x00000010
#define VM_MAYWRITE	0x00000020
#define VM_MAYEXEC	0x00000040
#define VM_MAYSHARE	0x00000080
#define VM_GROWSDOWN	0x00000100
#define VM_IO		0x00004000	/* the kernel's: part of no other area */
#define VM_ACCOUNT	0x00100000
#define VM_ACCESS_FLAGS	(VM_READ | VM_WRITE | VM_EXEC)
#define VM_STACK_FLAGS	(VM_GROWSDOWN | VM_READ | VM_WRITE | \
			 VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC | VM_ACCOUNT)

#define FAULT_FLAG_WRITE	0x01
#define FAULT_FLAG_USER		0x40
#define FAULT_FLAG_INSTRUCTION	0x100
#define FAULT_FLAG_REMOTE	0x80

#define VM_FAULT_OOM		0x0001
#define VM_FAULT_SIGBUS		0x0002
#define VM_FAULT_MAJOR		0x0004	/* the page had to be read */
#define VM_FAULT_SIGSEGV	0x0040
#define VM_FAULT_NOPAGE		0x0100	/* something has changed: again */
#define VM_FAULT_LOCKED		0x0200	/* vmf->page, by who returns this */
#define VM_FAULT_ERROR \
	(VM_FAULT_OOM | VM_FAULT_SIGBUS | VM_FAULT_SIGSEGV)

#define FOLL_WRITE		0x01
#define FOLL_FORCE		0x10	/* whatever the program may do there */

struct vm_fault {
	struct vm_area_struct *vma;
	pgoff_t pgoff;			/* in the file, in pages */
	unsigned long address;		/* page aligned */
	unsigned int flags;
	pmd_t *pmd;
	pte_t *pte;
	pte_t orig_pte;
	struct page *page;		/* what ->fault found, referenced */
};

extern unsigned long vmemmap_base;
extern unsigned long max_pfn;
extern struct mm_struct init_mm;
extern struct page *empty_zero_page;

#define vmemmap			((struct page *)vmemmap_base)
#define pfn_to_page(pfn)	(vmemmap + (pfn))
#define page_to_pfn(page)	((unsigned long)((page) - vmemmap))
#define page_to_phys(page)	((phys_addr_t)page_to_pfn(page) << PAGE_SHIFT)
#define phys_to_page(phys)	pfn_to_page((phys) >> PAGE_SHIFT)
#define page_address(page)	__va(page_to_phys(page))
#define virt_to_page(addr)	pfn_to_page(__pa(addr) >> PAGE_SHIFT)
#define PAGE_ALIGN(x)		(((x) + PAGE_SIZE - 1) & PAGE_MASK)
#define offset_in_page(p)	((unsigned long)(p) & ~PAGE_MASK)

#define PageSlab(page)		test_bit(PG_slab, &(page)->flags)
#define PAGE_FLAG(Name, bit)						\
static inline bool Page##Name(const struct page *page)			\
{									\
	return test_bit(bit, &page->flags);				\
}									\
static inline void SetPage##Name(struct page *page)			\
{									\
	set_bit(bit, &page->flags);					\
}									\
static inline void ClearPage##Name(struct page *page)			\
{									\
	clear_bit(bit, &page->flags);					\
}

PAGE_FLAG(Uptodate, PG_uptodate)
PAGE_FLAG(Private, PG_private)
PAGE_FLAG(Error, PG_error)
PAGE_FLAG(Checked, PG_checked)
PAGE_FLAG(Referenced, PG_referenced)
#define PageDirty(page)		test_bit(PG_dirty, &(page)->flags)
#define PageWriteback(page)	test_bit(PG_writeback, &(page)->flags)
#define page_count(page)	atomic_read(&(page)->_refcount)

#define PageAnon(page)		test_bit(PG_anon, &(page)->flags)

static inline unsigned long get_mm_rss(const struct mm_struct *mm)
{
	return READ_ONCE(mm->rss_anon) + READ_ONCE(mm->rss_file);
}

/* What is counted of an address space, as events number it. */
enum { MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES };

/* Tells address spaces apart, without their addresses. */
static inline unsigned int mm_ptr_to_hash(const struct mm_struct *mm)
{
	return (unsigned long)mm * 0x61c8864680b583ebUL >> 32;
}

DECLARE_TRACEPOINT(rss_stat);
void mm_trace_rss_stat(struct mm_struct *mm, int member);

static inline int mm_counter(struct page *page)
{
	return PageAnon(page) ? MM_ANONPAGES : MM_FILEPAGES;
}

/* With the page table locked: a page is mapped, or no more. */
static inline void inc_mm_counter(struct mm_struct *mm, struct page *page)
{
	if (PageAnon(page))
		mm->rss_anon++;
	else
		mm->rss_file++;
	if (get_mm_rss(mm) > mm->hiwater_rss)
		mm->hiwater_rss = get_mm_rss(mm);
	if (tracepoint_enabled(rss_stat))
		mm_trace_rss_stat(mm, mm_counter(page));
}

/* For who leaves the address space. */
static inline void setmax_mm_hiwater_rss(unsigned long *maxrss,
					 const struct mm_struct *mm)
{
	unsigned long hiwater_rss = READ_ONCE(mm->hiwater_rss);

	if (*maxrss < hiwater_rss)
		*maxrss = hiwater_rss;
}

static inline void dec_mm_counter(struct mm_struct *mm, struct page *page)
{
	if (PageAnon(page))
		mm->rss_anon--;
	else
		mm->rss_file--;
	if (tracepoint_enabled(rss_stat))
		mm_trace_rss_stat(mm, mm_counter(page));
}

static inline void get_page(struct page *page)
{
	atomic_inc(&page->_refcount);
}

unsigned long nr_free_pages(void);

/* Gives a page that was reserved at boot to the page allocator. */
void free_reserved_page(struct page *page);

void __put_page(struct page *page);

static inline void put_page(struct page *page)
{
	if (atomic_dec_and_test(&page->_refcount))
		__put_page(page);
}

/* Gives back a reference to each of them. */
void release_pages(struct page **pages, unsigned int nr);

/* Address spaces: mm/mmap.c, fork.c. */
struct mm_struct *mm_alloc(void);
void mmput(struct mm_struct *mm);
void __mmdrop(struct mm_struct *mm);
struct mm_struct *dup_mm(struct mm_struct *oldmm);
void exec_mmap(struct mm_struct *mm);
void exit_mmap(struct mm_struct *mm);

static inline void mmgrab(struct mm_struct *mm)
{
	atomic_inc(&mm->mm_count);
}

static inline void mmdrop(struct mm_struct *mm)
{
	if (atomic_dec_and_test(&mm->mm_count))
		__mmdrop(mm);
}

/* Where a free range of addresses is looked for. */
struct vm_unmapped_area_info {
#define VM_UNMAPPED_AREA_TOPDOWN 1
	unsigned long flags;
	unsigned long length;
	unsigned long low_limit;
	unsigned long high_limit;
	unsigned long align_mask;	/* pages are aligned enough: 0 */
	unsigned long align_offset;
};

/* Of current->mm: where, or -ENOMEM. */
unsigned long vm_unmapped_area(struct vm_unmapped_area_info *info);
unsigned long get_unmapped_area(struct mm_struct *mm, unsigned long len);

struct vm_area_struct *vm_area_alloc(struct mm_struct *mm);
void vm_area_free(struct vm_area_struct *vma);
struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long addr);
int insert_vm_struct(struct mm_struct *mm, struct vm_area_struct *vma);
int expand_stack(struct vm_area_struct *vma, unsigned long address);
pgprot_t vm_get_page_prot(unsigned long vm_flags);

/* All of these act on current->mm and return an address or -errno. */
unsigned long vm_mmap(struct file *file, unsigned long addr, unsigned long len,
		      unsigned long prot, unsigned long flags,
		      unsigned long offset);
int vm_munmap(unsigned long start, size_t len);
int vm_brk_flags(unsigned long addr, unsigned long len, unsigned long flags);

/* With mm->mmap_lock held for writing. */
unsigned long do_mmap(struct file *file, unsigned long addr, unsigned long len,
		      unsigned long prot, unsigned long flags, pgoff_t pgoff);
int do_munmap(struct mm_struct *mm, unsigned long start, size_t len);

/* mm/memory.c, mm/gup.c */
/* The area of an address, with the lock for reading held; NULL: there is none. */
struct vm_area_struct *lock_mm_and_find_vma(struct mm_struct *mm,
					    unsigned long address,
					    struct pt_regs *regs);
vm_fault_t handle_mm_fault(struct vm_area_struct *vma, unsigned long address,
			   unsigned int flags, struct pt_regs *regs);

/*
 * A fault below TASK_SIZE, with FAULT_FLAG_WRITE or _INSTRUCTION for what was
 * tried. @error_code is what bad_area_nosemaphore() wants to know of it.
 */
void do_user_addr_fault(struct pt_regs *regs, unsigned long error_code,
			unsigned int flags, unsigned long address);
/* arch: The access was wrong, or happened where it could not be served. */
void bad_area_nosemaphore(struct pt_regs *regs, unsigned long error_code,
			  unsigned long address, int sig, int si_code);
pmd_t *mm_alloc_pmd(struct mm_struct *mm, unsigned long address);
int pte_alloc(struct mm_struct *mm, pmd_t *pmd);
long get_user_pages_remote(struct mm_struct *mm, unsigned long start,
			   unsigned long nr_pages, unsigned int gup_flags,
			   struct page **pages);

/* mm/pagetable.c: whole ranges. */
int copy_page_range(struct vm_area_struct *dst, struct vm_area_struct *src);
int move_page_tables(struct vm_area_struct *vma, unsigned long old_addr,
		     struct vm_area_struct *new_vma, unsigned long new_addr,
		     unsigned long len);
void change_protection(struct vm_area_struct *vma, unsigned long start,
		       unsigned long end);
int mprotect_fixup(struct vm_area_struct *vma, struct vm_area_struct **pprev,
		   unsigned long start, unsigned long end,
		   unsigned long newflags);

/* mm/rmap.c, mm/unmap.c: a file's pages wherever they are mapped. */
int folio_mkclean(struct page *page);
bool try_to_unmap(struct page *page);
void unmap_mapping_range(struct address_space *mapping, loff_t holebegin,
			 loff_t holelen, int even_cows);

/* A mapped file's page: mm/page_cache/filemap.c. */
vm_fault_t filemap_fault(struct vm_fault *vmf);
vm_fault_t filemap_page_mkwrite(struct vm_fault *vmf);
extern const struct vm_operations_struct generic_file_vm_ops;

#endif
