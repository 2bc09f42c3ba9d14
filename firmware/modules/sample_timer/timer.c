/* SPDX-License-Identifier: GPL-2.0-only */
/* A timer and a thread that beat, until the module is removed. */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/timer.h>
#include "sample_timer.h"

static unsigned int period = 10;
module_param(period, uint, 0644);
MODULE_PARM_DESC(period, "milliseconds between two beats");

static struct timer_list timer;

static void sample_beat(struct timer_list *unused)
{
	sample_count();
	mod_timer(&timer, jiffies + msecs_to_jiffies(period));
}

static int __init sample_timer_init(void)
{
	int err;

	if (!period)
		return -EINVAL;
	err = sample_thread_start(period);
	if (err)
		return err;
	timer_setup(&timer, sample_beat, 0);
	mod_timer(&timer, jiffies + msecs_to_jiffies(period));
	return 0;
}
module_init(sample_timer_init);

static void __exit sample_timer_exit(void)
{
	del_timer_sync(&timer);
	sample_thread_stop();
	printk("sample_timer: %lu beats\n", sample_count() - 1);
}
module_exit(sample_timer_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("A timer and a thread that call traceable functions");
