/* SPDX-License-Identifier: GPL-2.0-only */
/* What this CPU is doing; at offset 0 from its GS base, read by the host. */
#ifndef _ASM_PCPU_HOT_H
#define _ASM_PCPU_HOT_H

#include <linux/types.h>
#include <linux/compiler.h>

struct task_struct;

struct pcpu_hot {
	struct task_struct *current_task;
	u32 preempt_count;
	u32 cpu_number;
	unsigned long top_of_stack;	/* of the current task's kernel stack */
	unsigned long percpu_offset;	/* __per_cpu_offset[cpu_number] */
	unsigned long user_sp;		/* scratch of the system call entry */
} __aligned(64);

extern struct pcpu_hot pcpu_hot;

#define __pcpu_hot_read(qualifier, member) ({				\
	typeof(pcpu_hot.member) _v;					\
	asm qualifier("mov %%gs:%c1, %0" : "=r" (_v)			\
		      : "i" (offsetof(struct pcpu_hot, member)));	\
	_v; })

#define pcpu_hot_read(member)		__pcpu_hot_read(volatile, member)
#define pcpu_hot_read_stable(member)	__pcpu_hot_read(, member)

#define pcpu_hot_write(member, value)					\
	asm volatile("mov %0, %%gs:%c1"					\
		     : : "r" ((typeof(pcpu_hot.member))(value)),	\
			 "i" (offsetof(struct pcpu_hot, member)) : "memory")

#endif
