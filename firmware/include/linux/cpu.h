/* SPDX-License-Identifier: GPL-2.0-only */
/* Bringing CPUs up. */
#ifndef _LINUX_CPU_H
#define _LINUX_CPU_H

struct task_struct;

void boot_cpu_init(void);
void call_function_init(void);
void bringup_nonboot_cpus(void);

/* On the new CPU, when it can be given work. */
void notify_cpu_starting(void);

/* arch: */
int native_cpu_up(int cpu, struct task_struct *idle);
void arch_send_call_function_ipi(int cpu);

#endif
