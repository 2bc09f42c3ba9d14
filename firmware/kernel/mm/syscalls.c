/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on mappings. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include "internal.h"

static unsigned long ksys_mmap_pgoff(unsigned long addr,
					      unsigned long len,
					      unsigned long prot,
					      unsigned long flags,
					      unsigned long fd,
					      unsigned long off)
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

/* One area, within [start, end) of which all is to be changed. */
static int mprotect_fixup(struct vm_area_struct *vma,
				   unsigned long start, unsigned long end,
				   unsigned long access)
{
	int err;

	if (access & ~(vma->vm_flags >> 4) & VM_ACCESS_FLAGS)
		return -EACCES;
	if (end < vma->vm_end) {
		err = split_vma(vma, end);
		if (err)
			return err;
	}
	if (start > vma->vm_start) {
		err = split_vma(vma, start);
		if (err)
			return err;
		vma = list_next_entry(vma, vm_node);
	}
	vma->vm_flags = (vma->vm_flags & ~VM_ACCESS_FLAGS) | access;
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	change_protection(vma, start, end);
	return 0;
}

static int do_mprotect(unsigned long start, unsigned long end,
				unsigned long access)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long next;
	int err;

	for (; start < end; start = next) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start > start)
			return -ENOMEM;
		next = min(end, vma->vm_end);
		err = mprotect_fixup(vma, start, next, access);
		if (err)
			return err;
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
