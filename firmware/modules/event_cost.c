/* SPDX-License-Identifier: GPL-2.0-only */
/* A function with two events, called in a loop: for measuring what they cost. */
#include <linux/kstrtox.h>
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

/* Written to /sys/module/event_cost/parameters/calls: so many calls, now. */
static int calls_set(const char *val, const struct kernel_param *kp)
{
	unsigned long i, calls;
	int err = kstrtoul(val, 0, &calls);

	if (err)
		return err;
	for (i = 0; i < calls; i++)
		result += event_cost_call(i);
	return 0;
}

static int calls_get(char *buffer, const struct kernel_param *kp)
{
	return param_ops_ulong.get(buffer, kp);
}

static const struct kernel_param_ops calls_ops = {
	.set = calls_set,
	.get = calls_get,
};
__module_param(calls, result, calls_ops, "ulong", 0644);
MODULE_PARM_DESC(calls, "calls the function so many times when it is written");

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
