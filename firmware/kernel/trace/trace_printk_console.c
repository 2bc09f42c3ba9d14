/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tp_printk: events go to the log and the console, too, as they are recorded.
 * The host has their text; it interrupts the CPU for each.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sysctl.h>
#include <linux/upcall.h>
#include <emu/hostcall.h>

#define TRACEPOINT_PRINTK_ASK	2
#define EVENT_LINE_MAX		960	/* fits into a message */

static int tracepoint_printk;
static bool tracepoint_printk_stop_on_boot __initdata;
static DEFINE_MUTEX(tracepoint_printk_mutex);

/* With interrupts off. Lines of events that this makes come next time. */
notrace u64 upcall_output_printk(u64 arg)
{
	char line[EVENT_LINE_MAX];
	long len;

	while ((len = hostcall2(HC_TRACEPOINT_PRINTK_LINE, line,
				sizeof(line))) >= 0)
		printk("%.*s\n", (int)len, line);
	return 0;
}

static int __init set_tracepoint_printk_stop(char *str)
{
	tracepoint_printk_stop_on_boot = true;
	return 1;
}
__setup("tp_printk_stop_on_boot", set_tracepoint_printk_stop);

/* After all that the boot calls. */
void __init late_trace_init(void)
{
	if (tracepoint_printk_stop_on_boot)
		tracepoint_printk = hostcall1(HC_TRACEPOINT_PRINTK, 0);
}

/* Without the parameter it stays 0, whatever is written. */
static int tracepoint_printk_sysctl(struct ctl_table *table, int write,
				    void *buffer, size_t *lenp, loff_t *ppos)
{
	int err;

	mutex_lock(&tracepoint_printk_mutex);
	err = proc_dointvec(table, write, buffer, lenp, ppos);
	if (!err && write &&
	    !hostcall1(HC_TRACEPOINT_PRINTK, !!tracepoint_printk))
		tracepoint_printk = 0;
	mutex_unlock(&tracepoint_printk_mutex);
	return err;
}

static struct ctl_table tracepoint_printk_sysctls[] = {
	{
		.procname	= "tracepoint_printk",
		.data		= &tracepoint_printk,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= tracepoint_printk_sysctl,
	},
	{ }
};

static int __init tracepoint_printk_init(void)
{
	tracepoint_printk =
		hostcall1(HC_TRACEPOINT_PRINTK, TRACEPOINT_PRINTK_ASK);
	register_sysctl_init("kernel", tracepoint_printk_sysctls);
	return 0;
}
late_initcall(tracepoint_printk_init);
