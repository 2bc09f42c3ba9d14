/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that stay in the kernel. */
#ifndef _LINUX_KTHREAD_H
#define _LINUX_KTHREAD_H

struct task_struct;

/*
 * A new thread for one CPU, which calls @fn once wake_up_process() starts it.
 * NULL if there is no memory.
 */
struct task_struct *kthread_create_on_cpu(int (*fn)(void *data), void *data,
					  unsigned int cpu,
					  const char *name);

/* The thread that makes all others, so that none inherits from a process. */
int kthreadd(void *unused);
extern struct task_struct *kthreadd_task;

#endif
