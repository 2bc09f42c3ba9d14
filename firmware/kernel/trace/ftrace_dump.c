/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace on the console, for when nobody will be able to read it later. The
 * host has the buffers; it gives them line by line.
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <emu/hostcall.h>

#define KERN_TRACE	KERN_EMERG
#define DUMP_LINE_MAX	960		/* fits into a message */

int ftrace_dump_on_oops;

/* Whoever fails while there is a dump does without. */
static atomic_t dump_running;

notrace void ftrace_dump_cpu(int cpu)
{
	static char line[DUMP_LINE_MAX];	/* with dump_running */
	bool any = false;
	long len;

	if (atomic_add_return(1, &dump_running) != 1)
		goto out;
	tracing_off();
	printk(KERN_TRACE "Dumping ftrace buffer:\n");
	while ((len = hostcall3(HC_FTRACE_DUMP, cpu, line, sizeof(line))) >= 0) {
		if (!any)
			printk(KERN_TRACE "---------------------------------\n");
		any = true;
		printk(KERN_TRACE "%.*s\n", (int)len, line);
	}
	if (any)
		printk(KERN_TRACE "---------------------------------\n");
	else
		printk(KERN_TRACE "   (ftrace buffer empty)\n");
out:
	atomic_dec(&dump_running);
}

notrace void ftrace_dump(enum ftrace_dump_mode oops_dump_mode)
{
	int cpu = ALL_CPUS;

	switch (oops_dump_mode) {
	case DUMP_NONE:
		return;
	case DUMP_ALL:
		break;
	case DUMP_ORIG:
		cpu = raw_smp_processor_id();
		break;
	default:
		printk(KERN_TRACE "Bad dumping mode, switching to all CPUs dump\n");
	}
	ftrace_dump_cpu(cpu);
}

static int __init set_ftrace_dump_on_oops(char *str)
{
	if (!strcmp(str, "1"))
		ftrace_dump_on_oops = DUMP_ALL;
	else if (!strcmp(str, "2") || !strcmp(str, "orig_cpu"))
		ftrace_dump_on_oops = DUMP_ORIG;
	else
		return 0;
	return 1;
}
__setup("ftrace_dump_on_oops=", set_ftrace_dump_on_oops);

static int __init set_ftrace_dump_all_on_oops(char *str)
{
	ftrace_dump_on_oops = DUMP_ALL;
	return 1;
}
__setup("ftrace_dump_on_oops", set_ftrace_dump_all_on_oops);

static struct ctl_table ftrace_dump_sysctls[] = {
	{
		.procname	= "ftrace_dump_on_oops",
		.data		= &ftrace_dump_on_oops,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec,
	},
	{ }
};

static int __init ftrace_dump_sysctl_init(void)
{
	register_sysctl_init("kernel", ftrace_dump_sysctls);
	return 0;
}
late_initcall(ftrace_dump_sysctl_init);
