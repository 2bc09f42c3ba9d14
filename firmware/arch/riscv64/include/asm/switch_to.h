/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing the running task. */
#ifndef _ASM_SWITCH_TO_H
#define _ASM_SWITCH_TO_H

struct task_struct;

/* Comes back as the task that was switched from, with the one before it. */
struct task_struct *__switch_to_asm(struct task_struct *prev,
				    struct task_struct *next);

/* Nothing of prev is left in the CPU that needs its address space. */
#define prepare_arch_switch(next) do { } while (0)

#define switch_to(prev, next) __switch_to_asm(prev, next)

void arch_cpu_idle(void);

#endif
