/* SPDX-License-Identifier: GPL-2.0-only */
/* Each call of wake_up_process() says in the trace whom it wakes. */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/trace_printk.h>

#include "ftrace_direct.h"

void my_direct_func(struct task_struct *p);

void my_direct_func(struct task_struct *p)
{
	trace_printk("waking up %s-%d\n", p->comm, p->pid);
}

DIRECT_TRAMP(my_tramp, my_direct_func);

static int __init ftrace_direct_init(void)
{
	return register_ftrace_direct((unsigned long)wake_up_process,
				      (unsigned long)my_tramp);
}
module_init(ftrace_direct_init);

static void __exit ftrace_direct_exit(void)
{
	unregister_ftrace_direct((unsigned long)wake_up_process,
				 (unsigned long)my_tramp);
}
module_exit(ftrace_direct_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Has wake_up_process() call a function directly");
