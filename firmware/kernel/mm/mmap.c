/* SPDX-License-Identifier: GPL-2.0-only */
/* Mapping and unmapping. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uprobes.h>
#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/mmap.h>

/* A stack stays this small; mmap without an address leaves room for it. */
#define STACK_LIMIT	(8UL << 20)
#define MMAP_BASE	PAGE_ALIGN(STACK_TOP - STACK_LIMIT - (256UL << PAGE_SHIFT))

/* So that no area crosses @addr. */
static inline int split_at(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	if (!vma || vma->vm_start >= addr)
		return 0;
	return split_vma(mm, vma, addr, 0);
}

static inline bool range_ok(unsigned long start, unsigned long len)
{
	return !offset_in_page(start) && len && len <= TASK_SIZE &&
	       start <= TASK_SIZE - len;
}

/* Those in [start, end), which none crosses. */
static void detach_vmas(struct mm_struct *mm, unsigned long start,
			unsigned long end, struct list_head *detached)
{
	struct vm_area_struct *vma;

	while ((vma = find_vma_intersection(mm, start, end))) {
		unlink_vma(vma);
		list_add_tail(&vma->vm_node, detached);
	}
}

/*
 * The pages of areas that have been taken out, and tables of nothing else. With
 * mmap_lock held for writing.
 */
static void unmap_region(struct mm_struct *mm, struct list_head *areas,
			 unsigned long start)
{
	struct vm_area_struct *prev = find_vma_prev(mm, start);
	struct vm_area_struct *next = find_vma(mm, start);
	struct mmu_gather tlb;

	tlb_gather_mmu(&tlb, mm);
	unmap_vmas(&tlb, areas);
	free_pgtables(&tlb, areas, prev ? prev->vm_end : 0,
		      next ? next->vm_start : 0);
	tlb_finish_mmu(&tlb);
}

/* With mmap_lock held for writing; may sleep. */
int do_munmap(struct mm_struct *mm, unsigned long start, size_t len)
{
	struct vm_area_struct *vma, *next;
	LIST_HEAD(detached);
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
	detach_vmas(mm, start, end, &detached);
	unmap_region(mm, &detached, start);
	list_for_each_entry_safe(vma, next, &detached, vm_node)
		remove_vma(vma);
	return 0;
}

static unsigned long unmapped_area_topdown(struct mm_struct *mm,
					   struct vm_unmapped_area_info *info)
{
	unsigned long end = info->high_limit;
	struct vm_area_struct *vma;

	list_for_each_entry_reverse(vma, &mm->mmap, vm_node) {
		if (vma->vm_start >= info->high_limit)
			continue;
		if (vma->vm_end <= end && end - vma->vm_end >= info->length)
			break;
		end = vma->vm_start;
	}
	return end >= info->length + info->low_limit ? end - info->length :
						       -ENOMEM;
}

static inline unsigned long __vm_unmapped_area(struct mm_struct *mm,
					       struct vm_unmapped_area_info *info)
{
	unsigned long addr = unmapped_area_topdown(mm, info);

	trace_vm_unmapped_area(addr, info);
	return addr;
}

unsigned long vm_unmapped_area(struct vm_unmapped_area_info *info)
{
	info->low_limit = max(info->low_limit, MMAP_MIN_ADDR);
	return __vm_unmapped_area(current->mm, info);
}

unsigned long get_unmapped_area(struct mm_struct *mm, unsigned long len)
{
	struct vm_unmapped_area_info info = {
		.flags = VM_UNMAPPED_AREA_TOPDOWN,
		.length = len,
		.low_limit = MMAP_MIN_ADDR,
		.high_limit = MMAP_BASE,
	};

	return __vm_unmapped_area(mm, &info);
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

/* With mmap_lock held for writing, nothing being mapped there. May sleep. */
unsigned long mmap_region(struct file *file, unsigned long addr,
			  unsigned long len, unsigned long vm_flags,
			  pgoff_t pgoff)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int err = -ENOMEM;

	if (mm->map_count >= MAX_MAP_COUNT ||
	    !may_expand_vm(mm, len >> PAGE_SHIFT))
		return -ENOMEM;
	/* Memory that is shared without a file is a file of its own. */
	if (file || !(vm_flags & VM_SHARED)) {
		vma = vma_merge(mm, find_vma_prev(mm, addr), addr, addr + len,
				vm_flags, file, pgoff);
		if (vma) {
			uprobe_mmap(vma);
			return addr;
		}
	}
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
	uprobe_mmap(vma);
	return addr;

unmap:
	if (vma->vm_file)
		fput(vma->vm_file);
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

/* With mmap_lock held for writing; may sleep. The address, or -errno. */
unsigned long do_mmap(struct file *file, unsigned long addr, unsigned long len,
		      unsigned long prot, unsigned long flags, pgoff_t pgoff)
{
	unsigned long vm_flags = calc_vm_flags(prot, flags);
	struct mm_struct *mm = current->mm;
	int err;

	if (!len)
		return -EINVAL;
	len = PAGE_ALIGN(len);
	if (!len || len > TASK_SIZE)
		return -ENOMEM;
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
	addr &= PAGE_MASK;
	if (!file)
		pgoff = vm_flags & VM_SHARED ? 0 : addr >> PAGE_SHIFT;
	addr = mmap_region(file, addr, len, vm_flags, pgoff);
	if (!IS_ERR_VALUE(addr) && vm_flags & VM_SHARED &&
	    !find_vma(mm, addr)->vm_file) {
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
