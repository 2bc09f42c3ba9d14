/* SPDX-License-Identifier: GPL-2.0-only */
/* Advice on memory, and writing mapped files back. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include "internal.h"

/* What is mapped goes; it will read as zeroes, or as the file is. */
static long madvise_dontneed(struct vm_area_struct *vma, unsigned long start,
			     unsigned long end)
{
	zap_page_range_single(vma, start, end - start);
	return 0;
}

static bool madvise_behavior_valid(int behavior)
{
	return behavior >= MADV_NORMAL && behavior <= MADV_DONTNEED;
}

/* Areas that are there are done even if others are not. */
static long madvise_walk_vmas(struct mm_struct *mm, unsigned long start,
			      unsigned long end, int behavior)
{
	struct vm_area_struct *vma;
	long err = 0;

	while (start < end) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start >= end)
			return -ENOMEM;
		if (vma->vm_start > start) {
			err = -ENOMEM;
			start = vma->vm_start;
		}
		if (behavior == MADV_DONTNEED)
			madvise_dontneed(vma, start, min(end, vma->vm_end));
		start = vma->vm_end;
	}
	return err;
}

static long do_madvise(struct mm_struct *mm, unsigned long start, size_t len_in,
		       int behavior)
{
	size_t len = PAGE_ALIGN(len_in);
	long err;

	if (!madvise_behavior_valid(behavior) || offset_in_page(start))
		return -EINVAL;
	if ((len_in && !len) || start + len < start)
		return -EINVAL;
	if (!len)
		return 0;
	mmap_read_lock(mm);
	err = madvise_walk_vmas(mm, start, start + len, behavior);
	mmap_read_unlock(mm);
	return err;
}

SYSCALL_DEFINE3(madvise, unsigned long, start, size_t, len_in, int, behavior)
{
	return do_madvise(current->mm, start, len_in, behavior);
}

/* Writes back one area's part of the range; the lock is let go meanwhile. */
static int msync_vma(struct mm_struct *mm, struct vm_area_struct *vma,
		     unsigned long start, unsigned long end)
{
	struct file *file = get_file(vma->vm_file);
	loff_t from = ((loff_t)vma->vm_pgoff << PAGE_SHIFT) +
		      (start - vma->vm_start);
	int err;

	mmap_read_unlock(mm);
	err = vfs_fsync_range(file, from, from + (end - start) - 1, 1);
	fput(file);
	mmap_read_lock(mm);
	return err;
}

static int do_msync(struct mm_struct *mm, unsigned long start,
		    unsigned long end, int flags)
{
	struct vm_area_struct *vma;
	int err = 0, unmapped = 0;
	unsigned long next;

	while (!err && start < end) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start >= end)
			return -ENOMEM;
		if (vma->vm_start > start) {
			unmapped = -ENOMEM;
			start = vma->vm_start;
		}
		next = min(end, vma->vm_end);
		if (flags & MS_SYNC && vma->vm_file &&
		    vma->vm_flags & VM_SHARED)
			err = msync_vma(mm, vma, start, next);
		start = next;
	}
	return err ? err : unmapped;
}

SYSCALL_DEFINE3(msync, unsigned long, start, size_t, len, int, flags)
{
	struct mm_struct *mm = current->mm;
	unsigned long end = start + PAGE_ALIGN(len);
	int err;

	if (flags & ~(MS_ASYNC | MS_INVALIDATE | MS_SYNC) ||
	    offset_in_page(start) || (flags & MS_ASYNC && flags & MS_SYNC))
		return -EINVAL;
	if (end < start)
		return -ENOMEM;
	mmap_read_lock(mm);
	err = do_msync(mm, start, end, flags);
	mmap_read_unlock(mm);
	return err;
}
