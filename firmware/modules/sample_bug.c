/* SPDX-License-Identifier: GPL-2.0-only */
/* On each CPU a thread calls a function that is wrong: something to repair. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#define CALLS	32	/* of a thread, until it sleeps */

static spinlock_t lock = __SPIN_LOCK_UNLOCKED;

static unsigned long calls;
module_param(calls, ulong, 0444);
MODULE_PARM_DESC(calls, "how often the function was called");

static unsigned long wrong;
module_param(wrong, ulong, 0444);
MODULE_PARM_DESC(wrong, "how often its result was wrong");

static struct task_struct *threads[NR_CPUS];

long sample_bug_max(long a, long b);
long sample_bug_max_repaired(long a, long b);

/* The larger of two numbers, they say. */
__attribute__((noinline)) long sample_bug_max(long a, long b)
{
	return a < b ? a : b;
}

long sample_bug_max_repaired(long a, long b)
{
	return a < b ? b : a;
}

static int sample_bug_thread(void *unused)
{
	while (!kthread_should_stop()) {
		unsigned long errors = 0;

		for (long n = 0; n < CALLS; n++)
			errors += sample_bug_max(n, CALLS) != CALLS;
		spin_lock(&lock);
		calls += CALLS;
		wrong += errors;
		spin_unlock(&lock);
		msleep_interruptible(1);
	}
	return 0;
}

static void sample_bug_stop(void)
{
	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (threads[cpu])
			kthread_stop(threads[cpu]);
}

static int __init sample_bug_init(void)
{
	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct task_struct *thread;

		if (!cpu_online(cpu))
			continue;
		thread = kthread_create_on_cpu(sample_bug_thread, NULL, cpu,
					       "sample_bug/%u");
		if (IS_ERR(thread)) {
			sample_bug_stop();
			return PTR_ERR(thread);
		}
		threads[cpu] = thread;
		wake_up_process(thread);
	}
	return 0;
}
module_init(sample_bug_init);

static void __exit sample_bug_exit(void)
{
	sample_bug_stop();
}
module_exit(sample_bug_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Calls a function that is wrong");
