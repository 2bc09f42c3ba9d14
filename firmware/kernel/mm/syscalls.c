/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on mappings. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include "internal.h"

static unsigned long ksys_mmap_pgoff(unsigned long addr, unsigned long len,
				     unsigned long prot, unsigned long flags,
				     unsigned long fd, unsigned long off)
{
	unsigned long type = flags & MAP_TYPE;
	struct file *file = NULL;
	unsigned long ret;

	if (type != MAP_SHARED && type != MAP_PRIVATE)
		return -EINVAL;
	if (!(flags & MAP_ANONYMOUS)) {
		file = fget(fd);
		if (!file)
			return -EBADF;
	}
	ret = vm_mmap(file, addr, len, prot, flags, off);
	if (file)
		fput(file);
	return ret;
}

SYSCALL_DEFINE6(mmap, unsigned long, addr, unsigned long, len,
		unsigned long, prot, unsigned long, flags,
		unsigned long, fd, unsigned long, off)
{
	return ksys_mmap_pgoff(addr, len, prot, flags, fd, off);
}

SYSCALL_DEFINE2(munmap, unsigned long, addr, size_t, len)
{
	return vm_munmap(addr, len);
}

/* [start, end) of @vma gets these rights. *pprev: what they are part of then. */
int mprotect_fixup(struct vm_area_struct *vma, struct vm_area_struct **pprev,
		   unsigned long start, unsigned long end,
		   unsigned long newflags)
{
	struct mm_struct *mm = vma->vm_mm;
	pgoff_t pgoff = vma->vm_pgoff + ((start - vma->vm_start) >> PAGE_SHIFT);
	int err = 0;

	if (newflags == vma->vm_flags) {
		*pprev = vma;
		return 0;
	}
	*pprev = vma_merge(mm, *pprev, start, end, newflags, vma->vm_file,
			   pgoff);
	if (*pprev) {
		vma = *pprev;
	} else {
		*pprev = vma;
		if (start > vma->vm_start)
			err = split_vma(mm, vma, start, 1);
		if (!err && end < vma->vm_end)
			err = split_vma(mm, vma, end, 0);
		if (err)
			return err;
		vma->vm_flags = newflags;
		vma->vm_page_prot = vm_get_page_prot(newflags);
	}
	change_protection(vma, start, end);
	return 0;
}

static int do_mprotect(unsigned long start, unsigned long end,
		       unsigned long access)
{
	struct vm_area_struct *vma, *prev;
	struct mm_struct *mm = current->mm;
	unsigned long next, newflags;
	int err;

	vma = find_vma(mm, start);
	if (!vma || vma->vm_start > start)
		return start < end ? -ENOMEM : 0;
	prev = start > vma->vm_start ? vma : vma_prev(vma);
	for (; start < end; start = next) {
		if (!vma || vma->vm_start > start)
			return -ENOMEM;
		newflags = (vma->vm_flags & ~VM_ACCESS_FLAGS) | access;
		if (newflags & ~(newflags >> 4) & VM_ACCESS_FLAGS)
			return -EACCES;
		next = min(end, vma->vm_end);
		err = mprotect_fixup(vma, &prev, start, next, newflags);
		if (err)
			return err;
		vma = prev->vm_end > next ? prev : vma_next(prev);
	}
	return 0;
}

SYSCALL_DEFINE3(mprotect, unsigned long, start, size_t, len,
		unsigned long, prot)
{
	unsigned long end = start + PAGE_ALIGN(len);
	struct mm_struct *mm = current->mm;
	int err;

	BUILD_BUG_ON(PROT_READ != VM_READ || PROT_WRITE != VM_WRITE ||
		     PROT_EXEC != VM_EXEC || VM_MAYREAD != VM_READ << 4);
	if (offset_in_page(start) || prot & ~VM_ACCESS_FLAGS)
		return -EINVAL;
	if (end < start || end > TASK_SIZE)
		return -ENOMEM;
	mmap_write_lock(mm);
	err = do_mprotect(start, end, prot);
	mmap_write_unlock(mm);
	return err;
}
