/* SPDX-License-Identifier: GPL-2.0-only */
/* A module that others use. */
#include <linux/module.h>
#include "sample_export.h"

static int sample_square(int n)
{
	return n * n;
}

int sample_sum_of_squares(int n)
{
	int sum = 0;

	for (; n > 0; n--)
		sum += sample_square(n);
	return sum;
}
EXPORT_SYMBOL_GPL(sample_sum_of_squares);

static int __init sample_export_init(void)
{
	return 0;
}
module_init(sample_export_init);

static void __exit sample_export_exit(void)
{
}
module_exit(sample_export_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Offers a function to other modules");
