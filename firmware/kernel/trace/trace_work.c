/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktraced, a thread that does for the host what takes a task: to print, to
 * sleep. The device interrupt wakes it, and it asks for one piece of work
 * after the other.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/trace_events.h>
#include <asm/sections.h>
#include <emu/hostcall.h>
#include <emu/trace_work.h>

#include "trace.h"
#include "trace_uprobe.h"

static struct task_struct *ktraced_task;

static long trace_work_log(const struct trace_work *work)
{
	printk_line(work->argument, work->text);
	return 0;
}

static long trace_work_dump(const struct trace_work *work)
{
	ftrace_dump_cpu(work->argument);
	return 0;
}

static long trace_work_synchronize_rcu_tasks(const struct trace_work *work)
{
	synchronize_rcu_tasks();
	return 0;
}

/* A module's function, as long as the module is there to be called. */
static long trace_work_event_reg(const struct trace_work *work)
{
	struct trace_event_call *call = (void *)work->argument;
	struct module *mod;
	bool held, in_kernel = (char *)call >= _text && (char *)call < _end;
	long err = 0;

	rcu_read_lock();
	mod = __module_address((unsigned long)call);
	held = mod && try_module_get(mod);
	rcu_read_unlock();
	if (!held && !in_kernel)
		return -ENODEV;
	if (work->kind == TRACE_WORK_EVENT_REG)
		err = call->reg();
	else if (call->unreg)
		call->unreg();
	if (held)
		module_put(mod);
	return err;
}

static long (*trace_works[TRACE_WORK_COUNT])(const struct trace_work *work) = {
	[TRACE_WORK_LOG]	= trace_work_log,
	[TRACE_WORK_DUMP]	= trace_work_dump,
	[TRACE_WORK_SYNCHRONIZE_RCU_TASKS] = trace_work_synchronize_rcu_tasks,
	[TRACE_WORK_UPROBE_CREATE]	= create_trace_uprobe,
	[TRACE_WORK_UPROBE_ENABLE]	= trace_uprobe_enable,
	[TRACE_WORK_UPROBE_DISABLE]	= trace_uprobe_disable,
	[TRACE_WORK_UPROBE_REMOVE]	= trace_uprobe_remove,
	[TRACE_WORK_HWLAT_START]	= hwlat_tracer_start,
	[TRACE_WORK_HWLAT_STOP]		= hwlat_tracer_stop,
	[TRACE_WORK_OSNOISE_START]	= osnoise_workload_start,
	[TRACE_WORK_OSNOISE_STOP]	= osnoise_workload_stop,
	[TRACE_WORK_EVENT_REG]		= trace_work_event_reg,
	[TRACE_WORK_EVENT_UNREG]	= trace_work_event_reg,
};

void __init trace_work_register(unsigned int kind,
				long (*func)(const struct trace_work *work))
{
	trace_works[kind] = func;
}

static long do_trace_work(const struct trace_work *work)
{
	if (work->kind >= ARRAY_SIZE(trace_works) || !trace_works[work->kind])
		return -ENOSYS;
	return trace_works[work->kind](work);
}

static int ktraced(void *unused)
{
	static struct trace_work work;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (hostcall1(HC_TRACE_WORK_NEXT, &work) <= 0) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		hostcall1(HC_TRACE_WORK_DONE, do_trace_work(&work));
	}
	return 0;
}

/* Called with interrupts off. What comes too early waits. */
void trace_work_interrupt(void)
{
	if (ktraced_task && hostcall1(HC_TRACE_WORK_NEXT, NULL) > 0)
		wake_up_process(ktraced_task);
}

/* After all other threads, which keep the numbers that they had before. */
static int __init trace_work_init(void)
{
	ktraced_task = kthread_run(ktraced, NULL, "ktraced");
	return PTR_ERR_OR_ZERO(ktraced_task);
}
late_initcall(trace_work_init);
