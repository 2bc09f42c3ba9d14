/* SPDX-License-Identifier: GPL-2.0-only */
/* The first C code, and where other CPUs start. */
#include <linux/kernel.h>
#include <linux/cpu.h>
#include <linux/init.h>
#include <emu/hostcall.h>
#include <asm/proto.h>

void __init riscv64_start_kernel(struct boot_params *params)
{
	setup_boot_params(params);
	start_kernel();
	unreachable();
}

int native_cpu_up(int cpu, struct task_struct *idle)
{
	return hostcall3(HC_CPU_START, cpu, secondary_start, idle);
}
