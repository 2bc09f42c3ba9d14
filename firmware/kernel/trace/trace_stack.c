/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.stack_tracer_enabled: whether functions look how deep their stack is.
 * The host looks; it says "again" while call sites are being changed for it.
 */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sysctl.h>
#include <emu/hostcall.h>

#define STACK_TRACER_ASK	2

static int stack_tracer_enabled;
static DEFINE_MUTEX(stack_sysctl_mutex);

static int stack_trace_sysctl(struct ctl_table *table, int write, void *buffer,
			      size_t *lenp, loff_t *ppos)
{
	int err, was_enabled;

	mutex_lock(&stack_sysctl_mutex);
	/* The host can have turned it on or off. */
	was_enabled = hostcall1(HC_STACK_TRACER, STACK_TRACER_ASK);
	if (was_enabled != !!stack_tracer_enabled)
		stack_tracer_enabled = was_enabled;
	err = proc_dointvec(table, write, buffer, lenp, ppos);
	if (!err && write && was_enabled != !!stack_tracer_enabled)
		while (hostcall1(HC_STACK_TRACER, !!stack_tracer_enabled) == -EAGAIN)
			schedule_timeout_uninterruptible(1);
	mutex_unlock(&stack_sysctl_mutex);
	return err;
}

static struct ctl_table stack_tracer_sysctls[] = {
	{
		.procname	= "stack_tracer_enabled",
		.data		= &stack_tracer_enabled,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= stack_trace_sysctl,
	},
	{ }
};

static int __init stack_trace_init(void)
{
	register_sysctl_init("kernel", stack_tracer_sysctls);
	return 0;
}
late_initcall(stack_trace_init);
