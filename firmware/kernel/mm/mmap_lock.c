/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of mmap_lock, which its users' headers cannot make themselves. */
#include <linux/mmap_lock.h>

#define CREATE_TRACE_POINTS
#include <trace/events/mmap_lock.h>

void __mmap_lock_do_trace_start_locking(struct mm_struct *mm, bool write)
{
	trace_mmap_lock_start_locking(mm, NULL, write);
}

void __mmap_lock_do_trace_acquire_returned(struct mm_struct *mm, bool write,
					   bool success)
{
	trace_mmap_lock_acquire_returned(mm, NULL, write, success);
}

void __mmap_lock_do_trace_released(struct mm_struct *mm, bool write)
{
	trace_mmap_lock_released(mm, NULL, write);
}
