/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing the running task. */
#ifndef _ASM_SWITCH_TO_H
#define _ASM_SWITCH_TO_H

struct task_struct;

/* Comes back as the task that was switched from, with the one before it. */
struct task_struct *__switch_to_asm(struct task_struct *prev,
				    struct task_struct *next);

#define switch_to(prev, next) __switch_to_asm(prev, next)

/* Its part in C, on next's stack; returns prev. */
struct task_struct *__switch_to(struct task_struct *prev,
				struct task_struct *next);

/* Where a new task begins. */
void ret_from_fork(void);

#endif
