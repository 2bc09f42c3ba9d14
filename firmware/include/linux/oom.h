/* SPDX-License-Identifier: GPL-2.0-only */
/* Out of memory: a program is killed, so that the others can go on. */
#ifndef _LINUX_OOM_H
#define _LINUX_OOM_H

#include <linux/types.h>

struct task_struct;

#define OOM_SCORE_ADJ_MIN	(-1000)
#define OOM_SCORE_ADJ_MAX	1000

/* False if there is nobody to kill. */
bool out_of_memory(gfp_t gfp, unsigned int order);

/* A page fault that found no memory: the fault will be tried again. */
void pagefault_out_of_memory(void);

/* How much of all memory it would give back; LONG_MIN: it must not be killed. */
long oom_badness(struct task_struct *p, unsigned long totalpages);

#endif
