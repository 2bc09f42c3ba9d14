/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs there are, and bringing up all but the first. */
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memblock.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <emu/boot_params.h>
#include <emu/hostcall.h>

struct cpumask __cpu_possible_mask, __cpu_online_mask;
unsigned int nr_cpu_ids = 1;

static DECLARE_RWSEM(cpu_hotplug_lock);

void cpus_read_lock(void)
{
	down_read(&cpu_hotplug_lock);
}

void cpus_read_unlock(void)
{
	up_read(&cpu_hotplug_lock);
}

static void cpus_write_lock(void)
{
	down_write(&cpu_hotplug_lock);
}

static void cpus_write_unlock(void)
{
	up_write(&cpu_hotplug_lock);
}

void __init boot_cpu_init(void)
{
	unsigned int cpu;

	nr_cpu_ids = min_t(u64, boot_params.nr_cpus, NR_CPUS);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		cpumask_set_cpu(cpu, &__cpu_possible_mask);
	cpumask_set_cpu(0, &__cpu_online_mask);
}

/* The first CPU's is the one in the image; the others get what it was. */
void __init setup_per_cpu_areas(void)
{
	size_t size = __per_cpu_end - __per_cpu_start;
	unsigned int cpu;
	char *area;

	for (cpu = 1; cpu < nr_cpu_ids; cpu++) {
		area = memblock_alloc(size, 64);
		memcpy(area, __per_cpu_start, size);
		__per_cpu_offset[cpu] = area - __per_cpu_start;
		per_cpu(pcpu_hot, cpu).preempt_count = INIT_PREEMPT_COUNT;
	}
}

void notify_cpu_starting(void)
{
	cpumask_set_cpu(smp_processor_id(), &__cpu_online_mask);
}

void cpu_ready(void)
{
	cpu_init();
	hostcall1(HC_CPU_ONLINE, this_cpu_ptr(&pcpu_hot));
}

/* The first C code of every other CPU, called by head.S. */
void start_secondary(struct task_struct *idle, unsigned long cpu)
{
	pcpu_hot_write(current_task, idle);
	pcpu_hot_write(cpu_number, cpu);
	pcpu_hot_write(percpu_offset, __per_cpu_offset[cpu]);
	pcpu_hot_write(top_of_stack, task_top_of_stack(idle));
	cpu_ready();
	notify_cpu_starting();
	cpu_startup_entry();
}

int native_cpu_up(int cpu, struct task_struct *idle)
{
	return hostcall3(HC_CPU_START, cpu, secondary_startup, idle);
}

static __init int cpu_up(int cpu)
{
	struct task_struct *idle = fork_idle(cpu);
	int err;

	if (!idle)
		return -ENOMEM;
	cpus_write_lock();
	err = native_cpu_up(cpu, idle);
	while (!err && !cpu_online(cpu))
		cpu_relax();
	cpus_write_unlock();
	return err;
}

void __init bringup_nonboot_cpus(void)
{
	unsigned int cpu;
	int err;

	for (cpu = 1; cpu < nr_cpu_ids; cpu++) {
		err = cpu_up(cpu);
		if (err)
			panic("CPU %u did not start: error %d", cpu, -err);
	}
}
