/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task that is woken while another one with a higher priority keeps its CPU
 * for a known time: so one knows what wakeup_rt is to find.
 */
#include <linux/clockchips.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/time64.h>
#include <asm/processor.h>

static unsigned long delay = 100;
module_param(delay, ulong, 0444);
MODULE_PARM_DESC(delay, "microseconds for which the CPU is kept");

static unsigned int cpu = 1;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "the CPU; not the first, on which the waker runs");

static struct task_struct *sleeper, *keeper, *waker;
static DECLARE_COMPLETION(woken);
static bool kept;		/* the keeper has the CPU */
static u64 release;		/* when it gives it up, in cycles; 0: unknown */

static int sample_rest(void)
{
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int sample_sleep(void *unused)
{
	complete(&woken);
	return sample_rest();
}

static int sample_keep(void *unused)
{
	WRITE_ONCE(kept, true);
	while (!READ_ONCE(release) || get_cycles() < READ_ONCE(release))
		cpu_relax();
	return sample_rest();
}

/* On the first CPU. */
static int sample_wake(void *unused)
{
	wake_up_process(keeper);
	while (!READ_ONCE(kept))
		cpu_relax();
	WRITE_ONCE(release,
		   get_cycles() + ktime_to_cycles(delay * NSEC_PER_USEC));
	wake_up_process(sleeper);
	return sample_rest();
}

static void sample_stop(void)
{
	if (!IS_ERR(waker))
		kthread_stop(waker);
	if (!IS_ERR(keeper))
		kthread_stop(keeper);
	if (!IS_ERR(sleeper))
		kthread_stop(sleeper);
}

static int __init sample_wakeup_init(void)
{
	if (!cpu || cpu >= nr_cpu_ids)
		return -EINVAL;
	sleeper = kthread_create_on_cpu(sample_sleep, NULL, cpu,
					"sample_sleeper");
	keeper = kthread_create_on_cpu(sample_keep, NULL, cpu, "sample_keeper");
	waker = kthread_create_on_cpu(sample_wake, NULL, 0, "sample_waker");
	if (IS_ERR(sleeper) || IS_ERR(keeper) || IS_ERR(waker)) {
		sample_stop();
		return -ENOMEM;
	}
	sched_set_fifo_low(sleeper);
	sched_set_fifo(keeper);
	wake_up_process(waker);
	wait_for_completion(&woken);
	return 0;
}
module_init(sample_wakeup_init);

static void __exit sample_wakeup_exit(void)
{
	sample_stop();
}
module_exit(sample_wakeup_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Has a task wait for its CPU");
