/* SPDX-License-Identifier: GPL-2.0-only */
/* Two functions call one of two, the other one every two seconds. */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/trace_printk.h>

#include "ftrace_direct.h"

void my_direct_func1(unsigned long ip);
void my_direct_func2(unsigned long ip);

void my_direct_func1(unsigned long ip)
{
	trace_printk("my direct func1 ip %lx\n", ip);
}

void my_direct_func2(unsigned long ip)
{
	trace_printk("my direct func2 ip %lx\n", ip);
}

DIRECT_TRAMP_IP(my_tramp1, my_direct_func1);
DIRECT_TRAMP_IP(my_tramp2, my_direct_func2);

static struct ftrace_ops direct;
static unsigned long my_tramp = (unsigned long)my_tramp1;
static struct task_struct *simple_tsk;

static int simple_thread(void *arg)
{
	unsigned long other = (unsigned long)my_tramp2, last;

	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		schedule_timeout(2 * HZ);
		if (WARN_ON_ONCE(modify_ftrace_direct_multi(&direct, other)))
			continue;
		last = my_tramp;
		my_tramp = other;
		other = last;
	}
	return 0;
}

static int __init ftrace_direct_multi_init(void)
{
	int err;

	err = ftrace_set_filter_ip(&direct, (unsigned long)wake_up_process,
				   0, 0);
	if (!err)
		err = ftrace_set_filter_ip(&direct, (unsigned long)schedule,
					   0, 0);
	if (!err)
		err = register_ftrace_direct_multi(&direct, my_tramp);
	if (err)
		goto free;
	simple_tsk = kthread_run(simple_thread, NULL, "event-sample-fn");
	if (!IS_ERR(simple_tsk))
		return 0;
	err = PTR_ERR(simple_tsk);
	unregister_ftrace_direct_multi(&direct, my_tramp);
free:
	ftrace_free_filter(&direct);
	return err;
}
module_init(ftrace_direct_multi_init);

static void __exit ftrace_direct_multi_exit(void)
{
	kthread_stop(simple_tsk);
	unregister_ftrace_direct_multi(&direct, my_tramp);
	ftrace_free_filter(&direct);
}
module_exit(ftrace_direct_multi_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Has two functions call one of two directly");
