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
/*
 * The kernel itself is to know when the current task's call @frame returns, to
 * @ret: 1, and it returns to the trampoline instead; 0: the host has no room.
 */
int rethook_hook(unsigned long ret, unsigned long frame);
/* Where the CPU then traps, as if it had been called. */
void kretprobe_trap(void);

#endif
