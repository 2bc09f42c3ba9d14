/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes into an instance of its own, sample-instance: a thread, once a second,
 * a text and an event. After five seconds a timer turns the event off.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/trace.h>
#include <linux/workqueue.h>

#define CREATE_TRACE_POINTS
#include "sample-trace-array.h"

static struct trace_array *tr;
static struct task_struct *simple_tsk;
static struct timer_list mytimer;

/* A timer cannot sleep, and to turn an event off takes time. */
static void trace_work_fn(struct work_struct *work)
{
	trace_array_set_clr_event(tr, "sample-subsystem", "sample_event",
				  false);
}

static DECLARE_WORK(trace_work, trace_work_fn);

static void mytimer_handler(struct timer_list *unused)
{
	schedule_work(&trace_work);
}

static void simple_thread_func(int count)
{
	set_current_state(TASK_INTERRUPTIBLE);
	schedule_timeout(HZ);
	trace_array_printk(tr, _THIS_IP_, "trace_array_printk: count=%d\n",
			   count);
	trace_sample_event(count, jiffies);
}

static int simple_thread(void *arg)
{
	int count = 0;

	trace_array_set_clr_event(tr, "sample-subsystem", "sample_event",
				  true);
	timer_setup(&mytimer, mytimer_handler, 0);
	mod_timer(&mytimer, jiffies + msecs_to_jiffies(5000));
	while (!kthread_should_stop())
		simple_thread_func(count++);
	del_timer_sync(&mytimer);
	cancel_work_sync(&trace_work);
	return 0;
}

static int __init sample_trace_array_init(void)
{
	int err;

	tr = trace_array_get_by_name("sample-instance");
	if (!tr)
		return -ENOMEM;
	err = trace_array_init_printk(tr);
	if (!err) {
		simple_tsk = kthread_run(simple_thread, NULL,
					 "sample-instance");
		err = PTR_ERR_OR_ZERO(simple_tsk);
	}
	if (err) {
		trace_array_put(tr);
		trace_array_destroy(tr);
	}
	return err;
}
module_init(sample_trace_array_init);

/* The instance and what is in it stay. */
static void __exit sample_trace_array_exit(void)
{
	kthread_stop(simple_tsk);
	trace_array_put(tr);
}
module_exit(sample_trace_array_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Writes into an instance of its own");
