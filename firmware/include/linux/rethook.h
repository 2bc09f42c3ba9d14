/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that return probes watch. The host keeps them, in nodes by number. */
#ifndef _LINUX_RETHOOK_H
#define _LINUX_RETHOOK_H

struct task_struct;

/* What they return to instead. */
void arch_rethook_trampoline(void);
/* Where a task's call returns to that a probe watches; 0: there is none. */
unsigned long rethook_find_ret_addr(const struct task_struct *task,
				    unsigned long frame);

#endif
