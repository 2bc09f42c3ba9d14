/* SPDX-License-Identifier: GPL-2.0-only */
/* Areas of an address space: finding, cutting and merging them. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "internal.h"

/* A stack stays this far above what is mapped below it. */
#define STACK_GUARD_GAP	(256UL << PAGE_SHIFT)

static struct kmem_cache *vm_area_cachep;

void __init mmap_init(void)
{
	vm_area_cachep = KMEM_CACHE(vm_area_struct, SLAB_PANIC);
}

struct vm_area_struct *vm_area_alloc(struct mm_struct *mm)
{
	struct vm_area_struct *vma = kmem_cache_zalloc(vm_area_cachep,
						       GFP_KERNEL);

	if (vma) {
		vma->vm_mm = mm;
		INIT_LIST_HEAD(&vma->vm_node);
		INIT_LIST_HEAD(&vma->shared);
	}
	return vma;
}

void vm_area_free(struct vm_area_struct *vma)
{
	kmem_cache_free(vm_area_cachep, vma);
}

/* The same in @mm, not linked yet. */
struct vm_area_struct *vm_area_dup(struct mm_struct *mm,
				   const struct vm_area_struct *orig)
{
	struct vm_area_struct *vma = vm_area_alloc(mm);

	if (!vma)
		return NULL;
	*vma = *orig;
	vma->vm_mm = mm;
	INIT_LIST_HEAD(&vma->vm_node);
	INIT_LIST_HEAD(&vma->shared);
	if (vma->vm_file)
		get_file(vma->vm_file);
	return vma;
}

/* One that is linked nowhere any more. */
void remove_vma(struct vm_area_struct *vma)
{
	if (vma->vm_file)
		fput(vma->vm_file);
	vm_area_free(vma);
}

/* The first area that ends above @addr; it may begin above it too. */
struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;

	list_for_each_entry(vma, &mm->mmap, vm_node)
		if (addr < vma->vm_end)
			return vma;
	return NULL;
}

struct vm_area_struct *find_vma_intersection(struct mm_struct *mm,
					     unsigned long start,
					     unsigned long end)
{
	struct vm_area_struct *vma = find_vma(mm, start);

	return vma && vma->vm_start < end ? vma : NULL;
}

struct vm_area_struct *vma_next(const struct vm_area_struct *vma)
{
	struct list_head *next = vma->vm_node.next;

	return next == &vma->vm_mm->mmap ? NULL :
	       list_entry(next, struct vm_area_struct, vm_node);
}

struct vm_area_struct *vma_prev(const struct vm_area_struct *vma)
{
	struct list_head *prev = vma->vm_node.prev;

	return prev == &vma->vm_mm->mmap ? NULL :
	       list_entry(prev, struct vm_area_struct, vm_node);
}

/* The area before @addr, which lies in none or begins one. */
struct vm_area_struct *find_vma_prev(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	if (vma)
		return vma_prev(vma);
	return list_empty(&mm->mmap) ? NULL :
	       list_last_entry(&mm->mmap, struct vm_area_struct, vm_node);
}

static inline unsigned long vma_pages(const struct vm_area_struct *vma)
{
	return (vma->vm_end - vma->vm_start) >> PAGE_SHIFT;
}

static void vm_stat_account(struct mm_struct *mm, long npages)
{
	mm->total_vm += npages;
	if (mm->total_vm > mm->hiwater_vm)
		mm->hiwater_vm = mm->total_vm;
}

/* So that a file's pages are found where they are mapped. */
static void vma_link_file(struct vm_area_struct *vma)
{
	struct address_space *mapping;

	if (!vma->vm_file)
		return;
	mapping = vma->vm_file->f_mapping;
	i_mmap_lock_write(mapping);
	list_add_tail(&vma->shared, &mapping->i_mmap);
	i_mmap_unlock_write(mapping);
}

void unlink_file_vma(struct vm_area_struct *vma)
{
	struct address_space *mapping;

	if (!vma->vm_file)
		return;
	mapping = vma->vm_file->f_mapping;
	i_mmap_lock_write(mapping);
	list_del_init(&vma->shared);
	i_mmap_unlock_write(mapping);
}

static void vma_link(struct mm_struct *mm, struct vm_area_struct *vma)
{
	struct vm_area_struct *next = find_vma(mm, vma->vm_start);

	list_add_tail(&vma->vm_node, next ? &next->vm_node : &mm->mmap);
	vma_link_file(vma);
	mm->map_count++;
	vm_stat_account(mm, vma_pages(vma));
}

/* Out of the address space; its file still knows it. */
void unlink_vma(struct vm_area_struct *vma)
{
	list_del(&vma->vm_node);
	vma->vm_mm->map_count--;
	vm_stat_account(vma->vm_mm, -vma_pages(vma));
}

int insert_vm_struct(struct mm_struct *mm, struct vm_area_struct *vma)
{
	if (find_vma_intersection(mm, vma->vm_start, vma->vm_end))
		return -ENOMEM;
	vma_link(mm, vma);
	return 0;
}

/* RLIMIT_AS */
bool may_expand_vm(struct mm_struct *mm, unsigned long npages)
{
	return mm->total_vm + npages <= rlimit(RLIMIT_AS) >> PAGE_SHIFT;
}

/* Downwards, to hold @address. Several threads may fault at once. */
int expand_stack(struct vm_area_struct *vma, unsigned long address)
{
	struct mm_struct *mm = vma->vm_mm;
	struct vm_area_struct *prev;
	int err = 0;

	address &= PAGE_MASK;
	spin_lock(&mm->page_table_lock);
	prev = vma_prev(vma);
	if (vma->vm_end - address > rlimit(RLIMIT_STACK) ||
	    !may_expand_vm(mm, (vma->vm_start - address) >> PAGE_SHIFT) ||
	    address < (prev ? prev->vm_end + STACK_GUARD_GAP : MMAP_MIN_ADDR)) {
		err = -ENOMEM;
	} else if (address < vma->vm_start) {
		vma->vm_pgoff -= (vma->vm_start - address) >> PAGE_SHIFT;
		vm_stat_account(mm, (vma->vm_start - address) >> PAGE_SHIFT);
		WRITE_ONCE(vma->vm_start, address);
	}
	spin_unlock(&mm->page_table_lock);
	return err;
}

/* What is mapped at an address stays the same. */
static void vma_set_range(struct vm_area_struct *vma, unsigned long start,
			  unsigned long end)
{
	struct address_space *mapping =
		vma->vm_file ? vma->vm_file->f_mapping : NULL;

	if (mapping)
		i_mmap_lock_write(mapping);
	vm_stat_account(vma->vm_mm, -vma_pages(vma));
	vma->vm_pgoff += (long)(start - vma->vm_start) >> PAGE_SHIFT;
	vma->vm_start = start;
	vma->vm_end = end;
	vm_stat_account(vma->vm_mm, vma_pages(vma));
	if (mapping)
		i_mmap_unlock_write(mapping);
}

/* Cuts an area in two at @addr; @vma becomes the upper part if @new_below. */
int split_vma(struct mm_struct *mm, struct vm_area_struct *vma,
	      unsigned long addr, int new_below)
{
	struct vm_area_struct *new;

	if (mm->map_count >= MAX_MAP_COUNT)
		return -ENOMEM;
	new = vm_area_dup(mm, vma);
	if (!new)
		return -ENOMEM;
	/* Both are linked at first: no page is ever in neither. */
	if (new_below) {
		new->vm_end = addr;
		list_add_tail(&new->vm_node, &vma->vm_node);
	} else {
		new->vm_pgoff += (addr - vma->vm_start) >> PAGE_SHIFT;
		new->vm_start = addr;
		list_add(&new->vm_node, &vma->vm_node);
	}
	mm->map_count++;
	vm_stat_account(mm, vma_pages(new));
	vma_link_file(new);
	if (new_below)
		vma_set_range(vma, addr, vma->vm_end);
	else
		vma_set_range(vma, vma->vm_start, addr);
	return 0;
}

/*
 * Sets the range of @vma to [start, end). Its neighbours there have the same
 * attributes: one inside the range is freed, one that overlaps it is cut. Pages
 * stay where they are.
 */
static void __vma_adjust(struct vm_area_struct *vma, unsigned long start,
			 unsigned long end)
{
	struct vm_area_struct *other;

	vma_set_range(vma, start, end);
	while (((other = vma_next(vma)) && other->vm_start < end) ||
	       ((other = vma_prev(vma)) && other->vm_end > start)) {
		vma->anon_vma |= other->anon_vma;
		if (other->vm_end > end) {
			vma_set_range(other, end, other->vm_end);
		} else if (other->vm_start < start) {
			vma_set_range(other, other->vm_start, start);
		} else {
			unlink_file_vma(other);
			unlink_vma(other);
			remove_vma(other);
		}
	}
}

static inline bool is_mergeable_vma(const struct vm_area_struct *vma,
				    const struct file *file,
				    unsigned long vm_flags)
{
	return vma->vm_flags == vm_flags && vma->vm_file == file;
}

/* Pages of no file, too, have a place that is theirs: where they came up. */
static bool can_vma_merge_before(const struct vm_area_struct *vma,
				 unsigned long vm_flags,
				 const struct file *file, pgoff_t end_pgoff)
{
	return is_mergeable_vma(vma, file, vm_flags) &&
	       vma->vm_pgoff == end_pgoff;
}

static bool can_vma_merge_after(const struct vm_area_struct *vma,
				unsigned long vm_flags,
				const struct file *file, pgoff_t pgoff)
{
	return is_mergeable_vma(vma, file, vm_flags) &&
	       vma->vm_pgoff + vma_pages(vma) == pgoff;
}

/*
 * [addr, end) becomes part of the area before it, or after it, or joins both,
 * if they are what it is to be. It lies behind @prev, in nothing or in one
 * area, or it is the end of @prev. NULL if it must be an area of its own.
 */
struct vm_area_struct *vma_merge(struct mm_struct *mm,
				 struct vm_area_struct *prev,
				 unsigned long addr, unsigned long end,
				 unsigned long vm_flags, struct file *file,
				 pgoff_t pgoff)
{
	struct vm_area_struct *next = prev ? vma_next(prev) : find_vma(mm, 0);
	bool with_prev, with_next;

	if (next && next->vm_end == end)	/* it is all of that area */
		next = vma_next(next);
	with_prev = prev && prev->vm_end == addr &&
		    can_vma_merge_after(prev, vm_flags, file, pgoff);
	with_next = next && next->vm_start == end &&
		    can_vma_merge_before(next, vm_flags, file, pgoff +
					 ((end - addr) >> PAGE_SHIFT));
	if (with_prev) {
		__vma_adjust(prev, prev->vm_start,
			     with_next ? next->vm_end : end);
		return prev;
	}
	if (with_next) {
		__vma_adjust(next, addr, next->vm_end);
		return next;
	}
	return NULL;
}

/* May it grow at its end by this much? */
bool vma_expandable(struct vm_area_struct *vma, unsigned long delta)
{
	unsigned long end = vma->vm_end + delta;

	return end > vma->vm_end && end <= TASK_SIZE &&
	       !find_vma_intersection(vma->vm_mm, vma->vm_end, end);
}

/*
 * The same as *vmap, where nothing is yet; that may now be part of an area
 * with what it is a copy of.
 */
struct vm_area_struct *copy_vma(struct vm_area_struct **vmap,
				unsigned long addr, unsigned long len,
				pgoff_t pgoff)
{
	struct vm_area_struct *vma = *vmap, *new;
	unsigned long start = vma->vm_start;
	struct mm_struct *mm = vma->vm_mm;

	/* What has no page yet comes up there. */
	if (!vma->vm_file && !vma->anon_vma && !(vma->vm_flags & VM_SHARED))
		pgoff = addr >> PAGE_SHIFT;
	new = vma_merge(mm, find_vma_prev(mm, addr), addr, addr + len,
			vma->vm_flags, vma->vm_file, pgoff);
	if (new) {
		if (new->vm_start <= start && start < new->vm_end)
			*vmap = new;
		return new;
	}
	new = vm_area_dup(mm, vma);
	if (!new)
		return NULL;
	new->vm_start = addr;
	new->vm_end = addr + len;
	new->vm_pgoff = pgoff;
	vma_link(mm, new);
	return new;
}
