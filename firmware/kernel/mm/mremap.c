/* SPDX-License-Identifier: GPL-2.0-only */
/* Mappings that grow, shrink and move. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/uprobes.h>
#include "internal.h"

/* To @new_addr, where nothing is mapped; the old place is left. */
static unsigned long move_vma(struct vm_area_struct *vma, unsigned long old_addr,
			      unsigned long old_len, unsigned long new_len,
			      unsigned long new_addr)
{
	struct mm_struct *mm = vma->vm_mm;
	struct vm_area_struct *new_vma;
	int err;

	new_vma = copy_vma(&vma, new_addr, new_len,
			   vma->vm_pgoff +
			   ((old_addr - vma->vm_start) >> PAGE_SHIFT));
	if (!new_vma)
		return -ENOMEM;
	err = move_page_tables(vma, old_addr, new_vma, new_addr, old_len);
	if (err) {
		/* What has been moved goes back: there are tables for it. */
		move_page_tables(new_vma, new_addr, vma, old_addr, old_len);
		do_munmap(mm, new_addr, new_len);
		return err;
	}
	err = do_munmap(mm, old_addr, old_len);
	return err ? err : new_addr;
}

static unsigned long mremap_to(struct vm_area_struct *vma, unsigned long addr,
			       unsigned long old_len, unsigned long new_len,
			       unsigned long new_addr)
{
	struct mm_struct *mm = vma->vm_mm;
	int err;

	if (offset_in_page(new_addr) || new_len > TASK_SIZE ||
	    new_addr > TASK_SIZE - new_len ||
	    (addr + old_len > new_addr && new_addr + new_len > addr))
		return -EINVAL;
	if (new_addr < MMAP_MIN_ADDR)
		return -EPERM;
	err = do_munmap(mm, new_addr, new_len);
	if (err)
		return err;
	if (new_len < old_len) {
		err = do_munmap(mm, addr + new_len, old_len - new_len);
		if (err)
			return err;
		old_len = new_len;
	}
	vma = find_vma(mm, addr);
	return move_vma(vma, addr, old_len, new_len, new_addr);
}

static unsigned long do_mremap(struct mm_struct *mm, unsigned long addr,
			       unsigned long old_len, unsigned long new_len,
			       unsigned long flags, unsigned long new_addr)
{
	struct vm_area_struct *vma = find_vma(mm, addr);
	pgoff_t pgoff;
	int err;

	if (!vma || vma->vm_start > addr || old_len > vma->vm_end - addr)
		return -EFAULT;
	if (flags & MREMAP_FIXED)
		return mremap_to(vma, addr, old_len, new_len, new_addr);
	if (new_len <= old_len) {
		err = new_len < old_len ?
		      do_munmap(mm, addr + new_len, old_len - new_len) : 0;
		return err ? err : addr;
	}
	if (!may_expand_vm(mm, (new_len - old_len) >> PAGE_SHIFT))
		return -ENOMEM;
	if (addr + old_len == vma->vm_end && vma_expandable(vma, new_len - old_len)) {
		pgoff = vma->vm_pgoff + ((vma->vm_end - vma->vm_start) >> PAGE_SHIFT);
		return vma_merge(mm, vma, vma->vm_end, addr + new_len,
				 vma->vm_flags, vma->vm_file, pgoff) ?
		       addr : -ENOMEM;
	}
	if (!(flags & MREMAP_MAYMOVE))
		return -ENOMEM;
	new_addr = get_unmapped_area(mm, new_len);
	if (IS_ERR_VALUE(new_addr))
		return new_addr;
	return move_vma(vma, addr, old_len, new_len, new_addr);
}

SYSCALL_DEFINE5(mremap, unsigned long, addr, unsigned long, old_len,
		unsigned long, new_len, unsigned long, flags,
		unsigned long, new_addr)
{
	struct mm_struct *mm = current->mm;
	unsigned long ret;

	old_len = PAGE_ALIGN(old_len);
	new_len = PAGE_ALIGN(new_len);
	if (flags & ~(MREMAP_FIXED | MREMAP_MAYMOVE) || offset_in_page(addr) ||
	    (flags & MREMAP_FIXED && !(flags & MREMAP_MAYMOVE)) || !new_len ||
	    !old_len)
		return -EINVAL;
	if (new_len > TASK_SIZE)
		return -ENOMEM;
	mmap_write_lock(mm);
	ret = do_mremap(mm, addr, old_len, new_len, flags, new_addr);
	if (!IS_ERR_VALUE(ret) && new_len > old_len)
		uprobe_mmap(find_vma(mm, ret));
	mmap_write_unlock(mm);
	return ret;
}
