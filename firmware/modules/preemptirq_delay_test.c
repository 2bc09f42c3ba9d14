/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps interrupts or preemption off for a known time, as Linux's module of
 * this name does: so one knows what latency tracers are to find.
 */
#include <linux/clockchips.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <asm/processor.h>

static unsigned long delay = 100;
module_param(delay, ulong, 0444);
MODULE_PARM_DESC(delay, "microseconds of each section");

static char *test_mode = "irq";
module_param(test_mode, charp, 0444);
MODULE_PARM_DESC(test_mode, "what is off: irq, preempt or alternate");

static unsigned int burst_size = 1;
module_param(burst_size, uint, 0444);
MODULE_PARM_DESC(burst_size, "sections, each in its own function: at most 10");

static int cpu_affinity = -1;
module_param(cpu_affinity, int, 0444);
MODULE_PARM_DESC(cpu_affinity, "the CPU to run on, -1: any");

static DECLARE_COMPLETION(done);

static void busy_wait(u64 cycles)
{
	u64 start = get_cycles();

	while (get_cycles() - start < cycles)
		;
}

static __always_inline void irqoff_test(u64 cycles)
{
	unsigned long flags;

	local_irq_save(flags);
	busy_wait(cycles);
	local_irq_restore(flags);
}

static __always_inline void preemptoff_test(u64 cycles)
{
	preempt_disable();
	busy_wait(cycles);
	preempt_enable();
}

static __always_inline void execute_preemptirqtest(int index)
{
	bool alternate = !strcmp(test_mode, "alternate");
	u64 cycles = ktime_to_cycles(delay * NSEC_PER_USEC);

	if (!strcmp(test_mode, "irq") || (alternate && index % 2 == 0))
		irqoff_test(cycles);
	else if (!strcmp(test_mode, "preempt") || alternate)
		preemptoff_test(cycles);
}

/* One for each section of a burst: their names tell sections apart. */
#define DECLARE_TESTFN(n)						\
	static void preemptirqtest_##n(int index)			\
	{								\
		execute_preemptirqtest(index);				\
	}

DECLARE_TESTFN(0)
DECLARE_TESTFN(1)
DECLARE_TESTFN(2)
DECLARE_TESTFN(3)
DECLARE_TESTFN(4)
DECLARE_TESTFN(5)
DECLARE_TESTFN(6)
DECLARE_TESTFN(7)
DECLARE_TESTFN(8)
DECLARE_TESTFN(9)

static void (*const testfuncs[])(int) = {
	preemptirqtest_0, preemptirqtest_1, preemptirqtest_2, preemptirqtest_3,
	preemptirqtest_4, preemptirqtest_5, preemptirqtest_6, preemptirqtest_7,
	preemptirqtest_8, preemptirqtest_9,
};

static void move_to_cpu(int cpu)
{
	struct cpumask mask = {};

	if (cpu < nr_cpu_ids)
		cpumask_set_cpu(cpu, &mask);
	if (sched_setaffinity(0, &mask))
		pr_err("cpu_affinity:%d, failed\n", cpu);
}

static int preemptirq_delay_run(void *data)
{
	unsigned int i, n = min_t(unsigned int, burst_size,
				  ARRAY_SIZE(testfuncs));

	if (cpu_affinity >= 0)
		move_to_cpu(cpu_affinity);
	for (i = 0; i < n; i++)
		testfuncs[i](i);
	complete(&done);
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* From a thread of its own. Returns when all sections are over. */
static int preemptirq_run_test(void)
{
	struct task_struct *task;

	init_completion(&done);
	task = kthread_run(preemptirq_delay_run, NULL, "%s_test", test_mode);
	if (IS_ERR(task))
		return PTR_ERR(task);
	wait_for_completion(&done);
	kthread_stop(task);
	return 0;
}

/* /sys/kernel/preemptirq_delay_test/trigger: the test again */
static ssize_t trigger_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t count)
{
	int err = preemptirq_run_test();

	return err ? err : count;
}

static struct kobj_attribute trigger_attribute =
	__ATTR(trigger, 0200, NULL, trigger_store);
static struct kobject *preemptirq_delay_kobj;

static int __init preemptirq_delay_init(void)
{
	int err = preemptirq_run_test();

	if (err)
		return err;
	preemptirq_delay_kobj = kobject_create_and_add("preemptirq_delay_test",
						       kernel_kobj);
	if (!preemptirq_delay_kobj)
		return -ENOMEM;
	err = sysfs_create_file(preemptirq_delay_kobj, &trigger_attribute.attr);
	if (err)
		kobject_put(preemptirq_delay_kobj);
	return err;
}
module_init(preemptirq_delay_init);

static void __exit preemptirq_delay_exit(void)
{
	kobject_put(preemptirq_delay_kobj);
}
module_exit(preemptirq_delay_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Interrupts or preemption off for a known time");
