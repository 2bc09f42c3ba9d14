/* SPDX-License-Identifier: GPL-2.0-only */
/* A module that needs another one. */
#include <linux/module.h>
#include <linux/printk.h>
#include "sample_export.h"

static int count = 3;
module_param(count, int, 0444);
MODULE_PARM_DESC(count, "how many squares to add");

static char *greeting = "the sum is";
module_param(greeting, charp, 0444);
MODULE_PARM_DESC(greeting, "what to say before it");

static bool quiet;
module_param(quiet, bool, 0444);
MODULE_PARM_DESC(quiet, "say nothing");

static int __init sample_use_init(void)
{
	int sum = sample_sum_of_squares(count);

	if (!quiet)
		printk("sample_use: %s %d\n", greeting, sum);
	return 0;
}
module_init(sample_use_init);

static void __exit sample_use_exit(void)
{
}
module_exit(sample_use_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Calls a function of sample_export");
