/* SPDX-License-Identifier: GPL-2.0-only */
/* The task that the image starts as. */
#ifndef _LINUX_INIT_TASK_H
#define _LINUX_INIT_TASK_H

#include <linux/sched.h>

extern char init_stack[THREAD_SIZE];

void init_task_early(void);

#endif
