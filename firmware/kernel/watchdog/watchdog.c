/* SPDX-License-Identifier: GPL-2.0-only */
/* What the lockup detectors are told, on the command line or later. */
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/oops.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <emu/hostcall.h>

#include "watchdog.h"

#define MAX_THRESH	60	/* seconds */
#define REPORT_MAX	128

static DEFINE_MUTEX(watchdog_mutex);

/* What is wanted: of any, and of each. */
static int watchdog_user_enabled = 1;
static int nmi_watchdog_user_enabled;
static int soft_watchdog_user_enabled = 1;

unsigned int watchdog_enabled;
int watchdog_thresh = 10;
int softlockup_panic;
int hardlockup_panic;

void report_lockup(struct pt_regs *regs, const char *fmt, ...)
{
	char text[REPORT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	pr_emerg("%s\n", text);
	print_modules();
	show_regs(regs);
	hostcall2(HC_BUG, text, regs);
}

static void lockup_detector_update_enable(void)
{
	unsigned int enabled = 0;

	if (watchdog_user_enabled && watchdog_thresh) {
		if (nmi_watchdog_user_enabled)
			enabled |= NMI_WATCHDOG_ENABLED;
		if (soft_watchdog_user_enabled)
			enabled |= SOFT_WATCHDOG_ENABLED;
	}
	WRITE_ONCE(watchdog_enabled, enabled);
}

static void __lockup_detector_reconfigure(void)
{
	cpus_read_lock();
	lockup_detector_update_enable();
	watchdog_nmi_start();
	cpus_read_unlock();
}

/* "0", "1", "panic" or "nopanic". */
static int __init hardlockup_panic_setup(char *str)
{
	if (!strcmp(str, "panic"))
		hardlockup_panic = 1;
	else if (!strcmp(str, "nopanic"))
		hardlockup_panic = 0;
	else if (!strcmp(str, "0") || !strcmp(str, "1"))
		nmi_watchdog_user_enabled = *str - '0';
	return 1;
}
__setup("nmi_watchdog=", hardlockup_panic_setup);

static int __init watchdog_thresh_setup(char *str)
{
	int thresh;

	if (!get_option(&str, &thresh) || thresh < 0 || thresh > MAX_THRESH)
		return 0;
	watchdog_thresh = thresh;
	return 1;
}
__setup("watchdog_thresh=", watchdog_thresh_setup);

static int __init softlockup_panic_setup(char *str)
{
	return get_option(&str, &softlockup_panic);
}
__setup("softlockup_panic=", softlockup_panic_setup);

static int __init nosoftlockup_setup(char *str)
{
	soft_watchdog_user_enabled = 0;
	return 1;
}
__setup("nosoftlockup", nosoftlockup_setup);

/* A file that has been read says what is in force, not what was wanted. */
static int proc_watchdog_common(unsigned int which, struct ctl_table *table,
				int write, void *buffer, size_t *lenp,
				loff_t *ppos)
{
	int *param = table->data;
	int err, old;

	mutex_lock(&watchdog_mutex);
	old = *param;
	if (!write)
		*param = !!(watchdog_enabled & which);
	err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);
	if (!write)
		*param = old;
	else if (!err && *param != old)
		__lockup_detector_reconfigure();
	mutex_unlock(&watchdog_mutex);
	return err;
}

static int proc_watchdog(struct ctl_table *table, int write, void *buffer,
			 size_t *lenp, loff_t *ppos)
{
	return proc_watchdog_common(NMI_WATCHDOG_ENABLED |
				    SOFT_WATCHDOG_ENABLED,
				    table, write, buffer, lenp, ppos);
}

static int proc_nmi_watchdog(struct ctl_table *table, int write, void *buffer,
			     size_t *lenp, loff_t *ppos)
{
	return proc_watchdog_common(NMI_WATCHDOG_ENABLED, table, write, buffer,
				    lenp, ppos);
}

static int proc_soft_watchdog(struct ctl_table *table, int write, void *buffer,
			      size_t *lenp, loff_t *ppos)
{
	return proc_watchdog_common(SOFT_WATCHDOG_ENABLED, table, write, buffer,
				    lenp, ppos);
}

static int proc_watchdog_thresh(struct ctl_table *table, int write,
				void *buffer, size_t *lenp, loff_t *ppos)
{
	int err, old;

	mutex_lock(&watchdog_mutex);
	old = watchdog_thresh;
	err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);
	if (!err && write && watchdog_thresh != old)
		__lockup_detector_reconfigure();
	mutex_unlock(&watchdog_mutex);
	return err;
}

static int max_thresh = MAX_THRESH;

#define WATCHDOG_SYSCTL(name, variable, handler, max)	\
	{						\
		.procname	= name,			\
		.data		= &(variable),		\
		.maxlen		= sizeof(int),		\
		.mode		= 0644,			\
		.proc_handler	= handler,		\
		.extra1		= SYSCTL_ZERO,		\
		.extra2		= max,			\
	}

static struct ctl_table watchdog_sysctls[] = {
	WATCHDOG_SYSCTL("watchdog", watchdog_user_enabled, proc_watchdog,
			SYSCTL_ONE),
	WATCHDOG_SYSCTL("watchdog_thresh", watchdog_thresh,
			proc_watchdog_thresh, &max_thresh),
	WATCHDOG_SYSCTL("nmi_watchdog", nmi_watchdog_user_enabled,
			proc_nmi_watchdog, SYSCTL_ONE),
	WATCHDOG_SYSCTL("soft_watchdog", soft_watchdog_user_enabled,
			proc_soft_watchdog, SYSCTL_ONE),
	WATCHDOG_SYSCTL("softlockup_panic", softlockup_panic,
			proc_dointvec_minmax, SYSCTL_ONE),
	WATCHDOG_SYSCTL("hardlockup_panic", hardlockup_panic,
			proc_dointvec_minmax, SYSCTL_ONE),
	{ }
};

static int __init lockup_detector_init(void)
{
	lockup_detector_update_enable();
	if (watchdog_enabled & NMI_WATCHDOG_ENABLED)
		watchdog_nmi_start();
	register_sysctl_init("kernel", watchdog_sysctls);
	return 0;
}
late_initcall(lockup_detector_init);
