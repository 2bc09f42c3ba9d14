/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that stay in the kernel. */
#ifndef _LINUX_KTHREAD_H
#define _LINUX_KTHREAD_H

#include <linux/compiler.h>

struct task_struct;

/*
 * A new thread, not yet running: wake_up_process() has it call @fn. NULL if
 * there is no memory. The second is for a thread that runs on one CPU only.
 */
struct task_struct *kthread_create(int (*fn)(void *data), void *data,
				   const char *namefmt, ...) __printf(3, 4);
struct task_struct *kthread_create_on_cpu(int (*fn)(void *data), void *data,
					  unsigned int cpu,
					  const char *namefmt);

/* The thread that makes all others, so that none inherits from a process. */
int kthreadd(void *unused);
extern struct task_struct *kthreadd_task;

#endif
