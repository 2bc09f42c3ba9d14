/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a task's kernel stack and registers are, and the start of programs. */
#ifndef _ASM_GENERIC_PROCESSOR_H
#define _ASM_GENERIC_PROCESSOR_H

#include <asm/page.h>
#include <asm/ptrace.h>

struct seq_file;

#define STACK_TOP	TASK_SIZE

#define task_stack_page(task)	((task)->stack)
#define task_top_of_stack(task) \
	((unsigned long)task_stack_page(task) + THREAD_SIZE)
#define task_pt_regs(task) \
	((struct pt_regs *)task_top_of_stack(task) - 1)
#define current_pt_regs()	task_pt_regs(current)

/* The registers with which a program starts. */
void start_thread(struct pt_regs *regs, unsigned long ip, unsigned long sp);

/* Forgets what the old program left in registers that regs does not hold. */
void flush_thread(void);

/* /proc/cpuinfo */
void arch_show_cpuinfo(struct seq_file *m);

#endif
