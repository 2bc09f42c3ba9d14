/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the end of a task and its parent's waiting for it. */
#ifndef _KERNEL_TASK_EXIT_H
#define _KERNEL_TASK_EXIT_H

#include <linux/types.h>

struct task_struct;

void release_task(struct task_struct *p);

/* True if the parent does not want to wait for it. With tasklist_lock held. */
bool do_notify_parent(struct task_struct *p);

#endif
