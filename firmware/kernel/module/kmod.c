/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking for modules: the kernel has modprobe load them. */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/umh.h>
#include <linux/wait.h>
#include <trace/events/module.h>

/*
 * How many modprobes may run at a time: one may itself need what asks for a
 * module. Who comes later waits, and gives up after some seconds.
 */
#define MAX_KMOD_CONCURRENT		50
#define MAX_KMOD_ALL_BUSY_TIMEOUT	5

static atomic_t kmod_concurrent_max = ATOMIC_INIT(MAX_KMOD_CONCURRENT);
static DECLARE_WAIT_QUEUE_HEAD(kmod_wq);

char modprobe_path[KMOD_PATH_LEN] = "/sbin/modprobe";

static void free_modprobe_argv(struct subprocess_info *info)
{
	kfree(info->argv[3]);	/* the module's name */
	kfree(info->argv);
}

static int call_modprobe(const char *orig_module_name, int wait)
{
	static const char *const envp[] = {
		"HOME=/", "TERM=linux",
		"PATH=/sbin:/usr/sbin:/bin:/usr/bin", NULL
	};
	struct subprocess_info *info;
	const char **argv;
	char *module_name;

	argv = kmalloc_array(5, sizeof(*argv), GFP_KERNEL);
	if (!argv)
		return -ENOMEM;
	module_name = kstrdup(orig_module_name, GFP_KERNEL);
	if (!module_name)
		goto free_argv;
	argv[0] = modprobe_path;
	argv[1] = "-q";
	argv[2] = "--";
	argv[3] = module_name;
	argv[4] = NULL;

	info = call_usermodehelper_setup(modprobe_path, argv, envp, GFP_KERNEL,
					 free_modprobe_argv);
	if (!info)
		goto free_module_name;
	return call_usermodehelper_exec(info, wait | UMH_KILLABLE);

free_module_name:
	kfree(module_name);
free_argv:
	kfree(argv);
	return -ENOMEM;
}

/* Whether one more may run now; it then counts. */
static bool kmod_begin(void)
{
	return atomic_dec_if_positive(&kmod_concurrent_max) >= 0;
}

static void kmod_end(void)
{
	atomic_inc(&kmod_concurrent_max);
	wake_up(&kmod_wq);
}

/* Sleeps; 0, or why no modprobe may run. */
static int kmod_wait(const char *module_name)
{
	long left;

	pr_warn("request_module: kmod_concurrent_max (%u) close to 0 (max_modprobes: %u), for module %s, throttling...\n",
		atomic_read(&kmod_concurrent_max), MAX_KMOD_CONCURRENT,
		module_name);
	left = wait_event_killable_timeout(kmod_wq, kmod_begin(),
					   MAX_KMOD_ALL_BUSY_TIMEOUT * HZ);
	if (left)
		return left < 0 ? left : 0;
	pr_warn("request_module: modprobe %s cannot be processed, kmod busy with %d threads for more than %d seconds now\n",
		module_name, MAX_KMOD_CONCURRENT, MAX_KMOD_ALL_BUSY_TIMEOUT);
	return -ETIME;
}

int __request_module(bool wait, const char *fmt, ...)
{
	char module_name[MODULE_NAME_LEN];
	va_list args;
	int ret;

	if (!modprobe_path[0])
		return -ENOENT;
	va_start(args, fmt);
	ret = vsnprintf(module_name, MODULE_NAME_LEN, fmt, args);
	va_end(args);
	if (ret >= (int)MODULE_NAME_LEN)
		return -ENAMETOOLONG;
	if (!kmod_begin()) {
		ret = kmod_wait(module_name);
		if (ret)
			return ret;
	}
	trace_module_request(module_name, wait, _RET_IP_);
	ret = call_modprobe(module_name, wait ? UMH_WAIT_PROC : UMH_WAIT_EXEC);
	kmod_end();
	return ret;
}

static struct ctl_table kmod_sysctls[] = {
	{
		.procname	= "modprobe",
		.data		= modprobe_path,
		.maxlen		= KMOD_PATH_LEN,
		.mode		= 0644,
		.proc_handler	= proc_dostring,
	},
	{}
};

static int __init kmod_sysctl_init(void)
{
	register_sysctl_init("kernel", kmod_sysctls);
	return 0;
}
fs_initcall(kmod_sysctl_init);
