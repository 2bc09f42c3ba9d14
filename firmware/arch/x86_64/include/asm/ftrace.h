/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel calls so that the host's tracing can follow. */
#ifndef _ASM_FTRACE_H
#define _ASM_FTRACE_H

struct task_struct;

/* With interrupts off, just before the stacks change. */
void ftrace_sched_switch(struct task_struct *prev, struct task_struct *next);

/* What function_graph has put in place of where a call returns to. */
void return_to_handler(void);
#define RETURN_TO_HANDLER_PC	((unsigned long)return_to_handler)

#endif
