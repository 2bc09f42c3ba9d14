/* SPDX-License-Identifier: GPL-2.0-only */
/* schedule() calls one of two functions, the other one every two seconds. */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/trace_printk.h>

#include "ftrace_direct.h"

void my_direct_func1(void);
void my_direct_func2(void);

void my_direct_func1(void)
{
	trace_printk("my direct func1\n");
}

void my_direct_func2(void)
{
	trace_printk("my direct func2\n");
}

DIRECT_TRAMP(my_tramp1, my_direct_func1);
DIRECT_TRAMP(my_tramp2, my_direct_func2);

static const unsigned long my_ip = (unsigned long)schedule;
static unsigned long my_tramp = (unsigned long)my_tramp1;
static struct task_struct *simple_tsk;

static int simple_thread(void *arg)
{
	unsigned long other = (unsigned long)my_tramp2, last;

	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		schedule_timeout(2 * HZ);
		if (WARN_ON_ONCE(modify_ftrace_direct(my_ip, my_tramp, other)))
			continue;
		last = my_tramp;
		my_tramp = other;
		other = last;
	}
	return 0;
}

static int __init ftrace_direct_init(void)
{
	int err = register_ftrace_direct(my_ip, my_tramp);

	if (err)
		return err;
	simple_tsk = kthread_run(simple_thread, NULL, "event-sample-fn");
	if (IS_ERR(simple_tsk)) {
		unregister_ftrace_direct(my_ip, my_tramp);
		return PTR_ERR(simple_tsk);
	}
	return 0;
}
module_init(ftrace_direct_init);

static void __exit ftrace_direct_exit(void)
{
	kthread_stop(simple_tsk);
	unregister_ftrace_direct(my_ip, my_tramp);
}
module_exit(ftrace_direct_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Has schedule() call one of two functions directly");
