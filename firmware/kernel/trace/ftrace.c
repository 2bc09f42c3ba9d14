/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.ftrace_enabled: whether call sites may call tracers. The host has the
 * sites, so it has the variable; it says "again" while sites are being changed.
 */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sysctl.h>
#include <emu/hostcall.h>

#define FTRACE_ENABLED_ASK	2

static int ftrace_enable_sysctl(struct ctl_table *table, int write,
				void *buffer, size_t *lenp, loff_t *ppos)
{
	int err, enabled = hostcall1(HC_FTRACE_ENABLED, FTRACE_ENABLED_ASK);
	struct ctl_table ours = *table;

	ours.data = &enabled;
	err = proc_dointvec(&ours, write, buffer, lenp, ppos);
	if (err || !write)
		return err;
	while ((err = hostcall1(HC_FTRACE_ENABLED, !!enabled)) == -EAGAIN)
		schedule_timeout_uninterruptible(1);
	return err < 0 ? err : 0;
}

static struct ctl_table ftrace_sysctls[] = {
	{
		.procname	= "ftrace_enabled",
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= ftrace_enable_sysctl,
	},
	{ }
};

static int __init ftrace_sysctl_init(void)
{
	register_sysctl_init("kernel", ftrace_sysctls);
	return 0;
}
late_initcall(ftrace_sysctl_init);
