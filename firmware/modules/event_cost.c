/* SPDX-License-Identifier: GPL-2.0-only */
/* A function with two events, called in a loop: for measuring what they cost. */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#define CREATE_TRACE_POINTS
#include "event_cost.h"

static unsigned long result;

static int event_cost_call(int i)
{
	trace_event_cost_fixed((unsigned long)__builtin_return_address(0), i);
	trace_event_cost_string(current->comm, i);
	return i + 1;
}

static __always_inline void event_cost_loop(unsigned long calls)
{
	unsigned long i;

	for (i = 0; i < calls; i++)
		result += event_cost_call(i);
}

/* Written to /sys/module/event_cost/parameters/calls: so many calls, now. */
static int calls_set(const char *val, const struct kernel_param *kp)
{
	unsigned long calls;
	int err = kstrtoul(val, 0, &calls);

	if (!err)
		event_cost_loop(calls);
	return err;
}

static DECLARE_COMPLETION(thread_done);

static int event_cost_thread(void *calls)
{
	event_cost_loop((unsigned long)calls);
	complete(&thread_done);
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

/* The same for thread_calls, from a thread: few calls lead to these. */
static int thread_calls_set(const char *val, const struct kernel_param *kp)
{
	struct task_struct *thread;
	unsigned long calls;
	int err = kstrtoul(val, 0, &calls);

	if (err)
		return err;
	thread = kthread_run(event_cost_thread, (void *)calls, "event_cost");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wait_for_completion(&thread_done);
	return kthread_stop(thread);
}

static int result_get(char *buffer, const struct kernel_param *kp)
{
	return param_ops_ulong.get(buffer, kp);
}

static const struct kernel_param_ops calls_ops = {
	.set = calls_set,
	.get = result_get,
};
__module_param(calls, result, calls_ops, "ulong", 0644);
MODULE_PARM_DESC(calls, "calls the function so many times when it is written");

static const struct kernel_param_ops thread_calls_ops = {
	.set = thread_calls_set,
	.get = result_get,
};
__module_param(thread_calls, result, thread_calls_ops, "ulong", 0644);
MODULE_PARM_DESC(thread_calls, "the same from a kernel thread");

static int __init event_cost_init(void)
{
	return 0;
}
module_init(event_cost_init);

static void __exit event_cost_exit(void)
{
}
module_exit(event_cost_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Events in a loop");
