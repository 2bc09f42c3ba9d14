/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting CPUs, and what CPUs and the host tell each other by interrupts. */
#include <linux/kernel.h>
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <emu/hostcall.h>
#include <asm/irq.h>
#include <asm/proto.h>
#include <asm/traps.h>
#include <asm/upcall.h>

void smp_send_reschedule(int cpu)
{
	hostcall2(HC_IPI, cpu, RESCHEDULE_VECTOR);
}

void arch_send_call_function_ipi(int cpu)
{
	hostcall2(HC_IPI, cpu, CALL_FUNCTION_VECTOR);
}

int native_cpu_up(int cpu, struct task_struct *idle)
{
	return hostcall3(HC_CPU_START, cpu, sparc64_cpu_startup, idle);
}

void start_secondary(struct task_struct *idle, unsigned long cpu)
{
	pcpu_hot_write(current_task, idle);
	pcpu_hot_write(cpu_number, cpu);
	pcpu_hot_write(percpu_offset, __per_cpu_offset[cpu]);
	pcpu_hot_write(top_of_stack, task_top_of_stack(idle));
	cpu_init();
	hostcall1(HC_CPU_ONLINE, this_cpu_ptr(&pcpu_hot));
	notify_cpu_starting();
	cpu_startup_entry();
}

/*
 * The host asks this CPU to run functions. Tracing may be half switched when
 * it does, so nothing here is traced.
 */
noinstr void upcall_interrupt(struct pt_regs *regs)
{
	u64 call[2];

	while (hostcall1(HC_UPCALL_NEXT, call) > 0) {
		u64 (*function)(u64) = (u64 (*)(u64))call[0];

		hostcall1(HC_UPCALL_DONE, function(call[1]));
	}
}

/* From here on the CPU runs code as it is in memory. */
noinstr u64 upcall_sync_core(u64 arg)
{
	asm volatile("flush %%g6" : : : "memory");
	return 0;
}

/*
 * Every CPU waits here, counted and with interrupts off, while the host
 * changes what would not bear being run meanwhile.
 */
noinstr u64 upcall_stop_machine(u64 arg)
{
	struct upcall_stop *stop = (struct upcall_stop *)arg;

	__atomic_fetch_add(&stop->arrived, 1, __ATOMIC_SEQ_CST);
	while (!READ_ONCE(stop->released))
		cpu_relax();
	return 0;
}
