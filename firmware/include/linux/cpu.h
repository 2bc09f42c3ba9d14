/* SPDX-License-Identifier: GPL-2.0-only */
/* Bringing CPUs up. */
#ifndef _LINUX_CPU_H
#define _LINUX_CPU_H

#include <asm/setup.h>

struct task_struct;

void boot_cpu_init(void);
void call_function_init(void);
void bringup_nonboot_cpus(void);

/* No CPU comes in between. Sleeps. */
void cpus_read_lock(void);
void cpus_read_unlock(void);

/* This CPU takes exceptions, and upcalls once interrupts are on. */
void cpu_ready(void);

/* On the new CPU: its first C code, called by head.S. */
void start_secondary(struct task_struct *idle, unsigned long cpu)
	__attribute__((noreturn));
/* ... and when it can be given work. */
void notify_cpu_starting(void);

void arch_send_call_function_ipi(int cpu);
int native_cpu_up(int cpu, struct task_struct *idle);

/* Called with interrupts off: turns them on and sleeps until the next one. */
void arch_cpu_idle(void);

/* arch: */
void cpu_init(void);
/* arch, in head.S: the entry of a CPU that another CPU starts. */
void secondary_startup(void);

#endif
