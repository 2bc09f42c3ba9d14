/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the end of a task and its parent's waiting for it. */
#ifndef _KERNEL_TASK_EXIT_H
#define _KERNEL_TASK_EXIT_H

struct task_struct;

void release_task(struct task_struct *p);

#endif
