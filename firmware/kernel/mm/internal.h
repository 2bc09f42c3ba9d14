/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of kernel/mm share only among themselves. */
#ifndef _MM_INTERNAL_H
#define _MM_INTERNAL_H

#include <linux/types.h>

/* Below this nothing is mapped: a NULL pointer is always caught. */
#define MMAP_MIN_ADDR	0x10000UL

struct page;
struct mm_struct;
struct vm_area_struct;

/* page_alloc.c: a range of page frames becomes free. */
void __free_pages_memory(unsigned long start, unsigned long end);
void page_alloc_init(void);

/* slab.c */
void kmem_cache_init(void);

/* mmap.c */
void mmap_init(void);
void unlink_vma(struct vm_area_struct *vma);
unsigned long get_unmapped_area(struct mm_struct *mm, unsigned long len);
struct vm_area_struct *copy_vma(struct vm_area_struct *vma, unsigned long addr,
				unsigned long len, unsigned long pgoff);
bool vma_expandable(struct vm_area_struct *vma, unsigned long delta);
bool may_expand_vm(struct mm_struct *mm, unsigned long npages);
int split_vma(struct vm_area_struct *vma, unsigned long addr);

/* mm_struct.c */
void mm_cache_init(void);

#endif
