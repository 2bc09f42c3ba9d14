/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel stacks, and the guard page below each. */
#ifndef _LINUX_SCHED_TASK_STACK_H
#define _LINUX_SCHED_TASK_STACK_H

#include <linux/sched.h>
#include <linux/types.h>
#include <asm/page.h>
#include <asm/processor.h>

/* NULL if there is no memory. */
void *alloc_thread_stack_node(void);
void free_thread_stack(void *stack);
void put_task_stack(struct task_struct *p);
void thread_stack_init(void);

/* Is this address one to which only an overflow of @p's stack leads? */
static inline bool in_stack_guard(const struct task_struct *p,
				  unsigned long address)
{
	unsigned long end = (unsigned long)task_stack_page(p);

	return address < end && address >= end - PAGE_SIZE;
}

#endif
