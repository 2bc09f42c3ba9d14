/* SPDX-License-Identifier: GPL-2.0-only */
/* The running task and CPU. */
#ifndef _ASM_CURRENT_H
#define _ASM_CURRENT_H

#include <asm/pcpu_hot.h>

/*
 * A task may continue on another CPU after any call, so what is read of a CPU
 * must not be kept across one, and pcpu_hot_read() is volatile. The running
 * task is the same before and after a switch, as seen by itself: gcc may keep
 * it.
 */
static __always_inline struct task_struct *get_current(void)
{
	return pcpu_hot_read_stable(current_task);
}

#define current			get_current()
#define arch_smp_processor_id()	((int)pcpu_hot_read(cpu_number))

#endif
