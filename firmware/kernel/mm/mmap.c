/* SPDX-License-Identifier: GPL-2.0-only */
/* Areas of an address space: finding, making, cutting and removing them. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include "internal.h"

#define MAX_MAP_COUNT	65530

/* A stack stays this small, and this far above what is mapped below it. */
#define STACK_LIMIT	(8UL << 20)	/* and mmap keeps clear of it */
#define STACK_GUARD_GAP	(256UL << PAGE_SHIFT)

/* mmap without an address takes the highest gap below this. */
#define MMAP_BASE	PAGE_ALIGN(STACK_TOP - STACK_LIMIT - STACK_GUARD_GAP)

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
	}
	return vma;
}

void vm_area_free(struct vm_area_struct *vma)
{
	kmem_cache_free(vm_area_cachep, vma);
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

static struct vm_area_struct *
find_vma_intersection(struct mm_struct *mm, unsigned long start,
		      unsigned long end)
{
	struct vm_area_struct *vma = find_vma(mm, start);

	return vma && vma->vm_start < end ? vma : NULL;
}

static void vma_link(struct mm_struct *mm, struct vm_area_struct *vma)
{
	struct vm_area_struct *next = find_vma(mm, vma->vm_start);

	list_add_tail(&vma->vm_node, next ? &next->vm_node : &mm->mmap);
	mm->map_count++;
	mm->total_vm += (vma->vm_end - vma->vm_start) >> PAGE_SHIFT;
}

void unlink_vma(struct vm_area_struct *vma)
{
	list_del(&vma->vm_node);
	vma->vm_mm->map_count--;
	vma->vm_mm->total_vm -= (vma->vm_end - vma->vm_start) >> PAGE_SHIFT;
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

/* May it grow at its end by this much? */
bool vma_expandable(struct vm_area_struct *vma, unsigned long delta)
{
	unsigned long end = vma->vm_end + delta;

	return end > vma->vm_end && end <= TASK_SIZE &&
	       !find_vma_intersection(vma->vm_mm, vma->vm_end, end);
}

/* The same as @vma, somewhere else. */
struct vm_area_struct *copy_vma(struct vm_area_struct *vma, unsigned long addr,
				unsigned long len, unsigned long pgoff)
{
	struct vm_area_struct *new = vm_area_alloc(vma->vm_mm);

	if (!new)
		return NULL;
	*new = *vma;
	new->vm_start = addr;
	new->vm_end = addr + len;
	new->vm_pgoff = pgoff;
	if (new->vm_file)
		get_file(new->vm_file);
	vma_link(vma->vm_mm, new);
	return new;
}

/* Downwards, to hold @address. Several threads may fault at once. */
int expand_stack(struct vm_area_struct *vma, unsigned long address)
{
	struct mm_struct *mm = vma->vm_mm;
	struct vm_area_struct *prev;
	int err = 0;

	address &= PAGE_MASK;
	spin_lock(&mm->page_table_lock);
	prev = vma->vm_node.prev == &mm->mmap ? NULL :
	       list_prev_entry(vma, vm_node);
	if (vma->vm_end - address > rlimit(RLIMIT_STACK) ||
	    !may_expand_vm(mm, (vma->vm_start - address) >> PAGE_SHIFT) ||
	    address < (prev ? prev->vm_end + STACK_GUARD_GAP : MMAP_MIN_ADDR)) {
		err = -ENOMEM;
	} else if (address < vma->vm_start) {
		vma->vm_pgoff -= (vma->vm_start - address) >> PAGE_SHIFT;
		mm->total_vm += (vma->vm_start - address) >> PAGE_SHIFT;
		WRITE_ONCE(vma->vm_start, address);
	}
	spin_unlock(&mm->page_table_lock);
	return err;
}

/* Cuts an area in two at @addr. */
int split_vma(struct vm_area_struct *vma, unsigned long addr)
{
	struct vm_area_struct *new = vm_area_alloc(vma->vm_mm);
	struct mm_struct *mm = vma->vm_mm;

	if (!new)
		return -ENOMEM;
	*new = *vma;
	new->vm_start = addr;
	new->vm_pgoff += (addr - vma->vm_start) >> PAGE_SHIFT;
	if (new->vm_file)
		get_file(new->vm_file);
	vma->vm_end = addr;
	mm->total_vm -= (new->vm_end - addr) >> PAGE_SHIFT;
	vma_link(mm, new);
	return 0;
}

/* So that no area crosses @addr. */
static inline int split_at(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	if (!vma || vma->vm_start >= addr)
		return 0;
	return split_vma(vma, addr);
}

static inline bool range_ok(unsigned long start, unsigned long len)
{
	return !offset_in_page(start) && len && len <= TASK_SIZE &&
	       start <= TASK_SIZE - len;
}

int do_munmap(struct mm_struct *mm, unsigned long start, size_t len)
{
	struct vm_area_struct *vma;
	unsigned long end;
	int err;

	len = PAGE_ALIGN(len);
	if (!range_ok(start, len))
		return -EINVAL;
	end = start + len;
	err = split_at(mm, start);
	if (!err)
		err = split_at(mm, end);
	if (err)
		return err;
	while ((vma = find_vma_intersection(mm, start, end))) {
		unmap_page_range(vma, vma->vm_start, vma->vm_end);
		unlink_vma(vma);
		if (vma->vm_file)
			fput(vma->vm_file);
		vm_area_free(vma);
	}
	return 0;
}

/* From the top down. */
unsigned long get_unmapped_area(struct mm_struct *mm, unsigned long len)
{
	unsigned long end = MMAP_BASE;
	struct vm_area_struct *vma;

	list_for_each_entry_reverse(vma, &mm->mmap, vm_node) {
		if (vma->vm_start >= MMAP_BASE)
			continue;
		if (vma->vm_end <= end && end - vma->vm_end >= len)
			break;
		end = vma->vm_start;
	}
	return end >= len + MMAP_MIN_ADDR ? end - len : -ENOMEM;
}

static inline unsigned long calc_vm_flags(unsigned long prot,
					  unsigned long flags)
{
	unsigned long vm_flags = VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;

	if (prot & PROT_READ)
		vm_flags |= VM_READ;
	if (prot & PROT_WRITE)
		vm_flags |= VM_WRITE;
	if (prot & PROT_EXEC)
		vm_flags |= VM_EXEC;
	if (flags & MAP_GROWSDOWN)
		vm_flags |= VM_GROWSDOWN;
	if ((flags & MAP_TYPE) == MAP_SHARED)
		vm_flags |= VM_SHARED | VM_MAYSHARE;
	return vm_flags;
}

/* Whether a file opened like this may be mapped like this. */
static int check_file(const struct file *file, unsigned long *vm_flags)
{
	if (!file->f_op->mmap)
		return -ENODEV;
	if (!(file->f_mode & FMODE_READ))
		return -EACCES;
	if (*vm_flags & VM_SHARED && !(file->f_mode & FMODE_WRITE)) {
		if (*vm_flags & VM_WRITE)
			return -EACCES;
		*vm_flags &= ~VM_MAYWRITE;
	}
	return 0;
}

/* Adjacent memory of the same kind that has no file: one area grows. */
static bool vma_merge(struct mm_struct *mm, unsigned long addr,
		      unsigned long len, unsigned long vm_flags)
{
	struct vm_area_struct *vma;

	list_for_each_entry(vma, &mm->mmap, vm_node) {
		if (vma->vm_end != addr || vma->vm_flags != vm_flags ||
		    vma->vm_ops || vma->vm_file)
			continue;
		vma->vm_end += len;
		mm->total_vm += len >> PAGE_SHIFT;
		return true;
	}
	return false;
}

static unsigned long mmap_region(struct file *file,
					  unsigned long addr,
					  unsigned long len,
					  unsigned long vm_flags,
					  unsigned long pgoff)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int err = -ENOMEM;

	if (mm->map_count >= MAX_MAP_COUNT ||
	    !may_expand_vm(mm, len >> PAGE_SHIFT))
		return -ENOMEM;
	if (!file && !(vm_flags & (VM_SHARED | VM_GROWSDOWN)) &&
	    vma_merge(mm, addr, len, vm_flags))
		return addr;
	vma = vm_area_alloc(mm);
	if (!vma)
		return -ENOMEM;
	vma->vm_start = addr;
	vma->vm_end = addr + len;
	vma->vm_flags = vm_flags;
	vma->vm_page_prot = vm_get_page_prot(vm_flags);
	vma->vm_pgoff = pgoff;
	if (file) {
		vma->vm_file = get_file(file);
		err = file->f_op->mmap(file, vma);
		if (err)
			goto unmap;
	}
	err = insert_vm_struct(mm, vma);
	if (err)
		goto unmap;
	return addr;

unmap:
	if (file)
		fput(file);
	vm_area_free(vma);
	return err;
}

/*
 * Shared memory without a file gets its pages at once: fork then finds them
 * all, and no page comes into being on one side only.
 */
static int mm_populate(struct mm_struct *mm, unsigned long addr,
				unsigned long len)
{
	struct vm_area_struct *vma = find_vma(mm, addr);
	unsigned long end = addr + len;

	for (; addr < end; addr += PAGE_SIZE)
		if (handle_mm_fault(vma, addr, FAULT_FLAG_WRITE, NULL))
			return -ENOMEM;
	return 0;
}

unsigned long do_mmap(struct file *file, unsigned long addr, unsigned long len,
		      unsigned long prot, unsigned long flags, pgoff_t pgoff)
{
	unsigned long vm_flags = calc_vm_flags(prot, flags);
	struct mm_struct *mm = current->mm;
	int err;

	len = PAGE_ALIGN(len);
	if (!len || len > TASK_SIZE)
		return len ? -ENOMEM : -EINVAL;
	if (file) {
		err = check_file(file, &vm_flags);
		if (err)
			return err;
	}
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (!range_ok(addr, len))
			return offset_in_page(addr) ? -EINVAL : -ENOMEM;
		if (addr < MMAP_MIN_ADDR)
			return -EPERM;
		if (flags & MAP_FIXED_NOREPLACE) {
			if (find_vma_intersection(mm, addr, addr + len))
				return -EEXIST;
		} else {
			err = do_munmap(mm, addr, len);
			if (err)
				return err;
		}
	} else if (!addr || !range_ok(addr & PAGE_MASK, len) ||
		   addr < MMAP_MIN_ADDR ||
		   find_vma_intersection(mm, addr & PAGE_MASK,
					 (addr & PAGE_MASK) + len)) {
		addr = get_unmapped_area(mm, len);
		if (IS_ERR_VALUE(addr))
			return addr;
	}
	addr = mmap_region(file, addr & PAGE_MASK, len, vm_flags, pgoff);
	if (!IS_ERR_VALUE(addr) && !file && vm_flags & VM_SHARED) {
		err = mm_populate(mm, addr, len);
		if (err) {
			do_munmap(mm, addr, len);
			return err;
		}
	}
	return addr;
}

unsigned long vm_mmap(struct file *file, unsigned long addr, unsigned long len,
		      unsigned long prot, unsigned long flags,
		      unsigned long offset)
{
	struct mm_struct *mm = current->mm;
	unsigned long ret;

	if (offset_in_page(offset))
		return -EINVAL;
	mmap_write_lock(mm);
	ret = do_mmap(file, addr, len, prot, flags, offset >> PAGE_SHIFT);
	mmap_write_unlock(mm);
	return ret;
}

int vm_munmap(unsigned long start, size_t len)
{
	struct mm_struct *mm = current->mm;
	int ret;

	mmap_write_lock(mm);
	ret = do_munmap(mm, start, len);
	mmap_write_unlock(mm);
	return ret;
}
