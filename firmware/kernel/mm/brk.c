/* SPDX-License-Identifier: GPL-2.0-only */
/* The heap that grows at its end. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/syscalls.h>

static int do_brk_flags(unsigned long addr, unsigned long len,
				 unsigned long flags)
{
	unsigned long prot = PROT_READ | PROT_WRITE |
			     (flags & VM_EXEC ? PROT_EXEC : 0);
	unsigned long ret;

	ret = do_mmap(NULL, addr, len, prot,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0);
	return IS_ERR_VALUE(ret) ? -ENOMEM : 0;
}

int vm_brk_flags(unsigned long addr, unsigned long len, unsigned long flags)
{
	struct mm_struct *mm = current->mm;
	int ret;

	if (!len)
		return 0;
	mmap_write_lock(mm);
	ret = do_brk_flags(addr, len, flags);
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
		err = do_brk_flags(oldbrk, newbrk - oldbrk, 0);
	if (!err)
		ret = mm->brk = brk;
out:
	mmap_write_unlock(mm);
	return ret;
}
