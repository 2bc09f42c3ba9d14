/* SPDX-License-Identifier: GPL-2.0-only */
/* What this CPU is doing; tp points to it, the host reads it. */
#ifndef _ASM_PCPU_HOT_H
#define _ASM_PCPU_HOT_H

#include <linux/types.h>
#include <linux/compiler.h>

struct task_struct;

struct pcpu_hot {
	u32 preempt_count;		/* first: amoadd takes no offset */
	u32 cpu_number;
	struct task_struct *current_task;
	unsigned long top_of_stack;	/* of the current task's kernel stack */
	unsigned long percpu_offset;	/* __per_cpu_offset[cpu_number] */
	unsigned long sp;		/* scratch of entry code */
	unsigned long t0;
} __aligned(64);

extern struct pcpu_hot pcpu_hot;

#define pcpu_hot_read(member) ({					\
	unsigned long _v;						\
	if (sizeof(pcpu_hot.member) == 4)				\
		asm volatile("lwu %0, %1(tp)" : "=r" (_v)		\
			     : "i" (offsetof(struct pcpu_hot, member)));	\
	else								\
		asm volatile("ld %0, %1(tp)" : "=r" (_v)		\
			     : "i" (offsetof(struct pcpu_hot, member)));	\
	(typeof(pcpu_hot.member))_v; })

/* Of eight bytes. */
#define pcpu_hot_read_stable(member) ({					\
	typeof(pcpu_hot.member) _v;					\
	asm("ld %0, %1(tp)" : "=r" (_v)					\
	    : "i" (offsetof(struct pcpu_hot, member)));			\
	_v; })

#define pcpu_hot_write(member, value) do {				\
	unsigned long _v =						\
		(unsigned long)(typeof(pcpu_hot.member))(value);	\
	if (sizeof(pcpu_hot.member) == 4)				\
		asm volatile("sw %0, %1(tp)" : : "r" (_v),		\
			     "i" (offsetof(struct pcpu_hot, member))	\
			     : "memory");				\
	else								\
		asm volatile("sd %0, %1(tp)" : : "r" (_v),		\
			     "i" (offsetof(struct pcpu_hot, member))	\
			     : "memory");				\
} while (0)

#endif
