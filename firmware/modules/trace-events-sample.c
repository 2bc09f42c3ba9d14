/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that have events of all kinds happen, once a second. */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include <stdarg.h>

#define CREATE_TRACE_POINTS
#include "trace-events-sample.h"

static const char *const random_strings[] = {
	"Mother Goose",
	"Snoopy",
	"Gandalf",
	"Frodo",
	"One ring to rule them all",
};

static void do_simple_thread_func(int cnt, const char *fmt, ...)
{
	const unsigned long bitmask = 0xdeadbeef;
	int array[ARRAY_SIZE(random_strings) + 1];
	int i, len = cnt % ARRAY_SIZE(random_strings);
	va_list va;

	set_current_state(TASK_INTERRUPTIBLE);
	schedule_timeout(HZ);
	for (i = 0; i < len; i++)
		array[i] = i + 1;
	array[len] = 0;

	va_start(va, fmt);
	trace_foo_bar("hello", cnt, array, random_strings[len],
		      &current->cpus_mask, fmt, &va);
	va_end(va);
	trace_foo_with_template_simple("HELLO", cnt);
	trace_foo_bar_with_cond("Some times print", cnt);
	trace_foo_with_template_cond("prints other times", cnt);
	trace_foo_with_template_print("I have to be different", cnt);
	trace_foo_rel_loc("Hello __rel_loc", cnt, &bitmask);
}

static void simple_thread_func(int cnt)
{
	do_simple_thread_func(cnt, "iter=%d", cnt);
}

static int simple_thread(void *arg)
{
	int cnt = 0;

	while (!kthread_should_stop())
		simple_thread_func(cnt++);
	return 0;
}

static void simple_thread_func_fn(int cnt)
{
	set_current_state(TASK_INTERRUPTIBLE);
	schedule_timeout(HZ);
	trace_foo_bar_with_fn("Look at me", cnt);
	trace_foo_with_template_fn("Look at me too", cnt);
}

static int simple_thread_fn(void *arg)
{
	int cnt = 0;

	while (!kthread_should_stop())
		simple_thread_func_fn(cnt++);
	return 0;
}

static struct task_struct *simple_tsk, *simple_tsk_fn;
static int simple_thread_cnt;		/* events that want simple_tsk_fn */
static DEFINE_MUTEX(thread_mutex);	/* of these two */

int foo_bar_reg(void)
{
	int err = 0;

	mutex_lock(&thread_mutex);
	if (!simple_tsk_fn) {
		pr_info("Starting thread for foo_bar_fn\n");
		simple_tsk_fn = kthread_run(simple_thread_fn, NULL,
					    "event-sample-fn");
		if (IS_ERR(simple_tsk_fn)) {
			err = PTR_ERR(simple_tsk_fn);
			simple_tsk_fn = NULL;
		}
	}
	if (!err)
		simple_thread_cnt++;
	mutex_unlock(&thread_mutex);
	return err;
}

static void stop_thread_fn(void)
{
	if (!simple_tsk_fn)
		return;
	pr_info("Killing thread for foo_bar_fn\n");
	kthread_stop(simple_tsk_fn);
	simple_tsk_fn = NULL;
}

void foo_bar_unreg(void)
{
	mutex_lock(&thread_mutex);
	if (!--simple_thread_cnt)
		stop_thread_fn();
	mutex_unlock(&thread_mutex);
}

static int __init trace_event_init(void)
{
	simple_tsk = kthread_run(simple_thread, NULL, "event-sample");
	return PTR_ERR_OR_ZERO(simple_tsk);
}
module_init(trace_event_init);

/* Nobody can want an event any more: the module is going. */
static void __exit trace_event_exit(void)
{
	kthread_stop(simple_tsk);
	mutex_lock(&thread_mutex);
	stop_thread_fn();
	mutex_unlock(&thread_mutex);
}
module_exit(trace_event_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Has events of all kinds");
