/* SPDX-License-Identifier: GPL-2.0-only */
/* The heap that grows at its end. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include "internal.h"

static int do_brk_flags(struct mm_struct *mm, unsigned long addr,
			unsigned long len, unsigned long flags)
{
	flags |= VM_READ | VM_WRITE | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;
	if (addr < MMAP_MIN_ADDR || len > TASK_SIZE || addr > TASK_SIZE - len ||
	    find_vma_intersection(mm, addr, addr + len))
		return -ENOMEM;
	return IS_ERR_VALUE(mmap_region(NULL, addr, len, flags,
					addr >> PAGE_SHIFT)) ? -ENOMEM : 0;
}

int vm_brk_flags(unsigned long addr, unsigned long len, unsigned long flags)
{
	struct mm_struct *mm = current->mm;
	int ret;

	len = PAGE_ALIGN(len);
	if (!len)
		return 0;
	mmap_write_lock(mm);
	ret = do_brk_flags(mm, addr, len, flags);
	mmap_write_unlock(mm);
	return ret;
}

/* The end as it is then: unchanged if it could not be moved. */
SYSCALL_DEFINE1(brk, unsigned long, brk)
{
	struct mm_struct *mm = current->mm;
	unsigned long oldbrk, newbrk, ret;
	int err = 0;

	mmap_write_lock(mm);
	ret = mm->brk;
	if (brk < mm->start_brk || brk > TASK_SIZE)
		goto out;
	oldbrk = PAGE_ALIGN(mm->brk);
	newbrk = PAGE_ALIGN(brk);
	if (newbrk < oldbrk)
		err = do_munmap(mm, newbrk, oldbrk - newbrk);
	else if (newbrk > oldbrk)
		err = do_brk_flags(mm, oldbrk, newbrk - oldbrk, 0);
	if (!err)
		ret = mm->brk = brk;
out:
	mmap_write_unlock(mm);
	return ret;
}
