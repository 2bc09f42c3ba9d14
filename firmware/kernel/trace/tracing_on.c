/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether anything is recorded, as the kernel itself can say: who has found a
 * bug wants to keep what led there. The host has the switch.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/trace_printk.h>
#include <emu/hostcall.h>

#define TRACING_ON_ASK	2

static int __disable_trace_on_warning;

notrace void tracing_on(void)
{
	hostcall1(HC_TRACING_ON, 1);
}

notrace void tracing_off(void)
{
	hostcall1(HC_TRACING_ON, 0);
}

notrace int tracing_is_on(void)
{
	return hostcall1(HC_TRACING_ON, TRACING_ON_ASK);
}

notrace void disable_trace_on_warning(void)
{
	if (!__disable_trace_on_warning)
		return;
	__trace_printk(_THIS_IP_, "Disabling tracing due to warning\n");
	tracing_off();
}

static int __init stop_trace_on_warning(char *str)
{
	__disable_trace_on_warning = strcmp(str, "0") && strcmp(str, "off");
	return 1;
}
__setup("traceoff_on_warning=", stop_trace_on_warning);

static int __init always_stop_trace_on_warning(char *str)
{
	__disable_trace_on_warning = 1;
	return 1;
}
__setup("traceoff_on_warning", always_stop_trace_on_warning);

static struct ctl_table tracing_on_sysctls[] = {
	{
		.procname	= "traceoff_on_warning",
		.data		= &__disable_trace_on_warning,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec,
	},
	{ }
};

static int __init tracing_on_sysctl_init(void)
{
	register_sysctl_init("kernel", tracing_on_sysctls);
	return 0;
}
late_initcall(tracing_on_sysctl_init);
