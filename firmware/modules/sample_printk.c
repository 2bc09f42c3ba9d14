/* SPDX-License-Identifier: GPL-2.0-only */
/* A module that writes into the trace, from its init and from a timer. */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/timer.h>
#include <linux/trace_printk.h>

static int count = 3;
module_param(count, int, 0444);
MODULE_PARM_DESC(count, "how often the timer writes");

static struct timer_list timer;
static int written;

static void sample_printk_tick(struct timer_list *unused)
{
	if (written == count)
		return;
	written++;
	trace_printk("tick %d of %d\n", written, count);
	mod_timer(&timer, jiffies + 2);
}

static int __init sample_printk_init(void)
{
	trace_puts("hello\n");
	timer_setup(&timer, sample_printk_tick, 0);
	mod_timer(&timer, jiffies + 2);
	return 0;
}
module_init(sample_printk_init);

static void __exit sample_printk_exit(void)
{
	del_timer_sync(&timer);
	trace_printk("%d of %d\n", written, count);
}
module_exit(sample_printk_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Calls trace_printk()");
