/* SPDX-License-Identifier: GPL-2.0-only */
/* Two functions call the same one, which is told by which it is called. */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/trace_printk.h>

#include "ftrace_direct.h"

void my_direct_func(unsigned long ip);

void my_direct_func(unsigned long ip)
{
	trace_printk("ip %lx\n", ip);
}

DIRECT_TRAMP_IP(my_tramp, my_direct_func);

static struct ftrace_ops direct;

static int __init ftrace_direct_multi_init(void)
{
	int err;

	err = ftrace_set_filter_ip(&direct, (unsigned long)wake_up_process,
				   0, 0);
	if (!err)
		err = ftrace_set_filter_ip(&direct, (unsigned long)schedule,
					   0, 0);
	if (!err)
		err = register_ftrace_direct_multi(&direct,
						   (unsigned long)my_tramp);
	if (err)
		ftrace_free_filter(&direct);
	return err;
}
module_init(ftrace_direct_multi_init);

static void __exit ftrace_direct_multi_exit(void)
{
	unregister_ftrace_direct_multi(&direct, (unsigned long)my_tramp);
	ftrace_free_filter(&direct);
}
module_exit(ftrace_direct_multi_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Has two functions call one directly");
