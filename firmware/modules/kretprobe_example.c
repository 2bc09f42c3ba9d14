/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a function returned, and how long it took, as Linux's module of this name
 * tells it.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>

static char func_name[KSYM_NAME_LEN] = "kernel_clone";
module_param_string(func, func_name, KSYM_NAME_LEN, 0644);
MODULE_PARM_DESC(func, "the function whose execution time is printed");

/* Of each call. */
struct my_data {
	ktime_t entry_stamp;
};

/* Threads of the kernel itself are left out. */
static int entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct my_data *data = (struct my_data *)ri->data;

	if (!current->mm)
		return 1;
	data->entry_stamp = ktime_get();
	return 0;
}

static int ret_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct my_data *data = (const struct my_data *)ri->data;

	pr_info("%s returned %lu and took %lld ns to execute\n", func_name,
		regs_return_value(regs),
		(long long)(ktime_get() - data->entry_stamp));
	return 0;
}

static struct kretprobe my_kretprobe = {
	.handler	= ret_handler,
	.entry_handler	= entry_handler,
	.data_size	= sizeof(struct my_data),
	.maxactive	= 20,
};

static int __init kretprobe_init(void)
{
	int ret;

	my_kretprobe.kp.symbol_name = func_name;
	ret = register_kretprobe(&my_kretprobe);
	if (ret < 0) {
		pr_err("register_kretprobe failed, returned %d\n", ret);
		return ret;
	}
	pr_info("Planted return probe at %s: %p\n",
		my_kretprobe.kp.symbol_name, my_kretprobe.kp.addr);
	return 0;
}

static void __exit kretprobe_exit(void)
{
	unregister_kretprobe(&my_kretprobe);
	pr_info("kretprobe at %p unregistered\n", my_kretprobe.kp.addr);
	pr_info("Missed probing %d instances of %s\n", my_kretprobe.nmissed,
		my_kretprobe.kp.symbol_name);
}

module_init(kretprobe_init);
module_exit(kretprobe_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Prints what a function returns, and its time");
