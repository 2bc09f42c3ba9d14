/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A module that crashes when it is asked to: its init does what `how` says, in
 * the context that `where` says. With "return" only tracing does: where the
 * caller's stack is, according to function_graph, is not where it is.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *how = "nothing";
module_param(how, charp, 0444);
MODULE_PARM_DESC(how, "nothing, null (write to address 0), jump (to address 0), text (write to code), wild (read outside memory), return (damages the return stack)");

static char *where = "init";
module_param(where, charp, 0444);
MODULE_PARM_DESC(where, "init, thread, timer");

static struct timer_list timer;

/* What the compiler must not know to be wrong. */
static void *hidden(unsigned long address)
{
	void *p;

	asm("" : "=r" (p) : "0" (address));
	return p;
}

static void sample_crash_null(void)
{
	*(volatile int *)hidden(0) = 1;
}

static void sample_crash_jump(void)
{
	((void (*)(void))hidden(0))();
}

static void sample_crash_text(void)
{
	*(volatile int *)hidden((unsigned long)sample_crash_null) = 1;
}

static int sample_crash_wild(void)
{
	return *(volatile int *)hidden(0x123456789abc0UL);
}

static void sample_crash_return(void)
{
	if (current->curr_ret_stack >= 0)
		current->ret_stack[current->curr_ret_stack].fp += 16;
}

static int sample_crash(void)
{
	if (!strcmp(how, "null"))
		sample_crash_null();
	else if (!strcmp(how, "jump"))
		sample_crash_jump();
	else if (!strcmp(how, "text"))
		sample_crash_text();
	else if (!strcmp(how, "wild"))
		return sample_crash_wild();
	else if (!strcmp(how, "return"))
		sample_crash_return();
	else if (strcmp(how, "nothing"))
		return -EINVAL;
	return 0;
}

static int sample_crash_thread(void *unused)
{
	return sample_crash();
}

static void sample_crash_timer(struct timer_list *unused)
{
	sample_crash();
}

static int __init sample_crash_init(void)
{
	struct task_struct *thread;

	if (!strcmp(where, "init"))
		return sample_crash();
	if (!strcmp(where, "thread")) {
		thread = kthread_run(sample_crash_thread, NULL, "sample_crash");
		return PTR_ERR_OR_ZERO(thread);
	}
	if (strcmp(where, "timer"))
		return -EINVAL;
	timer_setup(&timer, sample_crash_timer, 0);
	mod_timer(&timer, jiffies + 1);
	return 0;
}
module_init(sample_crash_init);

static void __exit sample_crash_exit(void)
{
	if (!strcmp(where, "timer"))
		del_timer_sync(&timer);
}
module_exit(sample_crash_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Crashes on request");
