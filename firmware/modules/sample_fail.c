/* SPDX-License-Identifier: GPL-2.0-only */
/* A module whose init fails, after it has done something. */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/printk.h>

static int error = -ENODEV;
module_param(error, int, 0444);
MODULE_PARM_DESC(error, "what init returns, a negative error number");

static int __init sample_fail_probe(void)
{
	return error;
}

static int __init sample_fail_init(void)
{
	printk("sample_fail: there is no such device\n");
	return sample_fail_probe();
}
module_init(sample_fail_init);

static void __exit sample_fail_exit(void)
{
}
module_exit(sample_fail_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Fails to initialise");
