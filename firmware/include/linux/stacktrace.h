/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls that led to where a task waits. */
#ifndef _LINUX_STACKTRACE_H
#define _LINUX_STACKTRACE_H

struct task_struct;

/*
 * Return addresses, innermost first, of a task that is not running, but for
 * those in functions that are only there to wait (__sched): at most @size of
 * them go to @store; how many. There are none of one that runs.
 */
unsigned int stack_trace_save_tsk(struct task_struct *task,
				  unsigned long *store, unsigned int size);

unsigned long get_wchan(struct task_struct *task);

#endif
