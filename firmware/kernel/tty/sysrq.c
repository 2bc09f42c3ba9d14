/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/sysrq-trigger: a character written to it has the kernel do something
 * at once, whatever state it is in.
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

#define HELP_MAX	128
#define SHOW_ALL	7	/* the console's level for what sysrq says */

struct sysrq_key_op {
	char key;
	const char *help_msg;
	const char *action_msg;
	void (*handler)(void);
};

static void sysrq_handle_crash(void)
{
	panic("sysrq triggered crash");
}

static void sysrq_ftrace_dump(void)
{
	ftrace_dump(DUMP_ALL);
}

static const struct sysrq_key_op sysrq_key_table[] = {
	{
		.key		= 'c',
		.help_msg	= "crash(c)",
		.action_msg	= "Trigger a crash",
		.handler	= sysrq_handle_crash,
	},
	{
		.key		= 'z',
		.help_msg	= "dump-ftrace-buffer(z)",
		.action_msg	= "Dump ftrace buffer",
		.handler	= sysrq_ftrace_dump,
	},
};

static void sysrq_help(void)
{
	char help[HELP_MAX];
	int len = 0;

	for (int i = 0; i < ARRAY_SIZE(sysrq_key_table); i++)
		len += scnprintf(help + len, sizeof(help) - len, "%s ",
				 sysrq_key_table[i].help_msg);
	pr_info("sysrq: HELP : %s\n", help);
}

static void __handle_sysrq(char key)
{
	const struct sysrq_key_op *op = NULL;
	int console_level = console_printk[0];

	for (int i = 0; i < ARRAY_SIZE(sysrq_key_table); i++)
		if (sysrq_key_table[i].key == key)
			op = &sysrq_key_table[i];
	console_printk[0] = SHOW_ALL;
	if (op)
		pr_info("sysrq: %s\n", op->action_msg);
	else
		sysrq_help();
	console_printk[0] = console_level;
	if (op)
		op->handler();
}

/* Only the first character counts. */
static ssize_t write_sysrq_trigger(struct file *file, const char __user *buf,
				   size_t count, loff_t *ppos)
{
	char key;

	if (!count)
		return 0;
	if (get_user(key, buf))
		return -EFAULT;
	__handle_sysrq(key);
	return count;
}

static const struct proc_ops sysrq_trigger_proc_ops = {
	.proc_write	= write_sysrq_trigger,
	.proc_lseek	= noop_llseek,
};

static int __init sysrq_init(void)
{
	proc_create("sysrq-trigger", 0200, NULL, &sysrq_trigger_proc_ops);
	return 0;
}
device_initcall(sysrq_init);
