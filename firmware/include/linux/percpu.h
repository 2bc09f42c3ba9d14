/* SPDX-License-Identifier: GPL-2.0-only */
/* Per-CPU variables: CPU n's copy lies __per_cpu_offset[n] from the symbol. */
#ifndef _LINUX_PERCPU_H
#define _LINUX_PERCPU_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/threads.h>
#include <asm/percpu.h>

#define DEFINE_PER_CPU(type, name) \
	__section(".data..percpu") typeof(type) name
#define DECLARE_PER_CPU(type, name) \
	extern typeof(type) name

extern unsigned long __per_cpu_offset[NR_CPUS];
extern char __per_cpu_start[], __per_cpu_end[];

#define SHIFT_PERCPU_PTR(ptr, offset) ({				\
	unsigned long _base = (unsigned long)(ptr);			\
	barrier();							\
	(typeof(*(ptr)) *)(_base + (offset)); })

#define per_cpu_ptr(ptr, cpu)	SHIFT_PERCPU_PTR(ptr, __per_cpu_offset[cpu])
#define per_cpu(var, cpu)	(*per_cpu_ptr(&(var), cpu))

/* Only meaningful while the task cannot move to another CPU. */
#define this_cpu_ptr(ptr)	SHIFT_PERCPU_PTR(ptr, this_cpu_offset())
#define this_cpu_read(var)	(*this_cpu_ptr(&(var)))
#define this_cpu_write(var, v)	(*this_cpu_ptr(&(var)) = (v))

void setup_per_cpu_areas(void);

#endif
