/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/stat: what the CPUs have done since boot. */
#include <linux/cpumask.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/tick.h>

#include "internal.h"

#define USER_HZ		100

static unsigned long to_user_ticks(u64 ticks)
{
	return ticks * USER_HZ / HZ;
}

static unsigned long us_to_user_ticks(u64 us)
{
	return us / (1000000 / USER_HZ);
}

/* user nice system idle iowait irq softirq steal guest guest_nice */
static void show_cpu(struct seq_file *m, const struct kernel_cpustat *k,
		     u64 idle_us)
{
	seq_printf(m, " %lu %lu %lu %lu 0 %lu %lu 0 0 0\n",
		   to_user_ticks(k->user), to_user_ticks(k->nice),
		   to_user_ticks(k->system), us_to_user_ticks(idle_us),
		   to_user_ticks(k->irq), to_user_ticks(k->softirq));
}

static unsigned int count_tasks(unsigned int *blocked)
{
	struct task_struct *p;
	unsigned int running = 0;

	*blocked = 0;
	spin_lock_irq(&tasklist_lock);
	for_each_task(p) {
		unsigned int state = READ_ONCE(p->__state);

		running += state == TASK_RUNNING;
		*blocked += state == TASK_UNINTERRUPTIBLE;
	}
	spin_unlock_irq(&tasklist_lock);
	return running;
}

static int show_stat(struct seq_file *m, void *v)
{
	struct kernel_cpustat sum = {};
	u64 idle = 0, interrupts = 0;
	unsigned int running, blocked;
	struct timespec64 boot;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct kernel_cpustat *k = kcpustat_cpu_ptr(cpu);
		const irq_cpustat_t *irq = irq_stats(cpu);

		sum.user += k->user;
		sum.nice += k->nice;
		sum.system += k->system;
		sum.irq += k->irq;
		sum.softirq += k->softirq;
		idle += get_cpu_idle_time_us(cpu);
		interrupts += irq->host_device_irqs + irq->block_device_irqs +
			      irq->timer_irqs + irq->irq_resched_count +
			      irq->irq_call_count + irq->spurious_irqs;
	}
	seq_puts(m, "cpu ");
	show_cpu(m, &sum, idle);
	for_each_online_cpu(cpu) {
		seq_printf(m, "cpu%d", cpu);
		show_cpu(m, kcpustat_cpu_ptr(cpu), get_cpu_idle_time_us(cpu));
	}
	boot = ktime_to_timespec64(ktime_get_real() - ktime_get() +
				   NSEC_PER_SEC / 2);
	running = count_tasks(&blocked);
	seq_printf(m, "intr %lu\nctxt %lu\nbtime %lu\nprocesses %lu\n",
		   (unsigned long)interrupts, nr_context_switches(),
		   (unsigned long)boot.tv_sec, total_forks);
	seq_printf(m, "procs_running %u\nprocs_blocked %u\n", running, blocked);
	return 0;
}

static int __init proc_stat_init(void)
{
	proc_create_single("stat", 0, NULL, show_stat);
	return 0;
}
fs_initcall(proc_stat_init);
