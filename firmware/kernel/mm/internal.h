/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of kernel/mm share only among themselves. */
#ifndef _MM_INTERNAL_H
#define _MM_INTERNAL_H

#include <linux/mm.h>
#include <linux/types.h>

/* Below this nothing is mapped: a NULL pointer is always caught. */
#define MMAP_MIN_ADDR	0x10000UL

struct file;

/* page_alloc.c: a range of page frames becomes free. */
void __free_pages_memory(unsigned long start, unsigned long end);
void page_alloc_init(void);

/*
 * How much of the free memory is kept: below low, kswapd is woken, who then
 * goes on to high; below min, who allocates must reclaim first. The rest is for
 * those who cannot, and for those who free memory.
 */
enum { WMARK_MIN, WMARK_LOW, WMARK_HIGH, NR_WMARK };

#define ALLOC_WMARK_MASK	0x03	/* one of these */
#define ALLOC_NO_WATERMARKS	0x04

bool zone_watermark_ok(unsigned int order, unsigned int mark);
struct page *get_page_from_freelist(gfp_t gfp, unsigned int order,
				    unsigned int alloc_flags);
void drain_all_pages(void);

/* page_alloc_slow.c: with fewer pages free than that */
struct page *__alloc_pages_slowpath(gfp_t gfp, unsigned int order);

/* slab_common.c */
void kmem_cache_init(void);

#define MAX_MAP_COUNT	65530

/* vma.c */
void mmap_init(void);
void unlink_vma(struct vm_area_struct *vma);
void unlink_file_vma(struct vm_area_struct *vma);
void remove_vma(struct vm_area_struct *vma);
struct vm_area_struct *vm_area_dup(struct mm_struct *mm,
				   const struct vm_area_struct *orig);
struct vm_area_struct *find_vma_intersection(struct mm_struct *mm,
					     unsigned long start,
					     unsigned long end);
struct vm_area_struct *find_vma_prev(struct mm_struct *mm, unsigned long addr);
struct vm_area_struct *vma_next(const struct vm_area_struct *vma);
struct vm_area_struct *vma_prev(const struct vm_area_struct *vma);
struct vm_area_struct *copy_vma(struct vm_area_struct **vmap,
				unsigned long addr, unsigned long len,
				pgoff_t pgoff);
struct vm_area_struct *vma_merge(struct mm_struct *mm,
				 struct vm_area_struct *prev,
				 unsigned long addr, unsigned long end,
				 unsigned long vm_flags, struct file *file,
				 pgoff_t pgoff);
bool vma_expandable(struct vm_area_struct *vma, unsigned long delta);
bool may_expand_vm(struct mm_struct *mm, unsigned long npages);
int split_vma(struct mm_struct *mm, struct vm_area_struct *vma,
	      unsigned long addr, int new_below);

/* mmap.c */
unsigned long mmap_region(struct file *file, unsigned long addr,
			  unsigned long len, unsigned long vm_flags,
			  pgoff_t pgoff);

/* pagetable.c */
pmd_t *find_pmd(struct mm_struct *mm, unsigned long addr, unsigned long end,
		unsigned long *next);

/*
 * unmap.c: pages and page tables wait here until no CPU can translate to them,
 * or through them, any more; only then may others have them.
 */
#define GATHER_MAX	64

struct mmu_gather {
	struct mm_struct *mm;
	unsigned long start;
	unsigned long end;
	bool keep_cows;			/* copies of a file's pages stay */
	unsigned int nr;
	struct page *pages[GATHER_MAX];
};

void tlb_gather_mmu(struct mmu_gather *tlb, struct mm_struct *mm);
void tlb_finish_mmu(struct mmu_gather *tlb);
void unmap_vmas(struct mmu_gather *tlb, struct list_head *areas);
void free_pgtables(struct mmu_gather *tlb, struct list_head *areas,
		   unsigned long floor, unsigned long ceiling);
void zap_page_range_single(struct vm_area_struct *vma, unsigned long address,
			   unsigned long size);

/* page_alloc.c */
void free_unref_page(struct page *page);

/* mm_struct.c */
void mm_cache_init(void);

#endif
