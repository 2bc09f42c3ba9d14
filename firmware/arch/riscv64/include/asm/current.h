/* SPDX-License-Identifier: GPL-2.0-only */
/* The running task and CPU. */
#ifndef _ASM_CURRENT_H
#define _ASM_CURRENT_H

#include <asm/pcpu_hot.h>

/*
 * Unlike the CPU's number the running task is the same before and after a
 * switch, as seen by itself: gcc may keep it.
 */
static __always_inline struct task_struct *get_current(void)
{
	struct task_struct *task;

	asm("ld %0, %1(tp)" : "=r" (task)
	    : "i" (offsetof(struct pcpu_hot, current_task)));
	return task;
}

#define current			get_current()
#define arch_smp_processor_id()	((int)pcpu_hot_read(cpu_number))

#endif
