/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a task that are its own memory: task_struct.c, for fork.c. */
#ifndef _KERNEL_TASK_FORK_H
#define _KERNEL_TASK_FORK_H

struct task_struct;

void task_caches_init(void);
/* With a stack of its own, all else as @orig has it. NULL: no memory. */
struct task_struct *dup_task_struct(struct task_struct *orig);
void free_task(struct task_struct *p);

int copy_sighand(unsigned long clone_flags, struct task_struct *p);
int copy_signal(unsigned long clone_flags, struct task_struct *p);

#endif
