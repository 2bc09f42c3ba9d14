/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes into the trace in each of the ways that trace_printk() has. */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/trace_printk.h>

/* The compiler cannot take what others might change for a constant. */
extern const char *trace_printk_test_global_str;
extern const char *trace_printk_test_global_str_irq;
extern const char *trace_printk_test_global_str_fmt;

const char *trace_printk_test_global_str =
	"This is a dynamic string that will use trace_puts\n";
const char *trace_printk_test_global_str_irq =
	"(irq) This is a dynamic string that will use trace_puts\n";
const char *trace_printk_test_global_str_fmt =
	"%sThis is a %s that will use trace_printk\n";

static void trace_printk_irq_work(void *unused)
{
	trace_printk("(irq) This is a static string that will use trace_bputs\n");
	trace_printk(trace_printk_test_global_str_irq);
	trace_printk("(irq) This is a %s that will use trace_bprintk()\n",
		     "static string");
	trace_printk(trace_printk_test_global_str_fmt, "(irq) ",
		     "dynamic string");
}

static struct call_single_data irq_work = { .func = trace_printk_irq_work };

static int __init trace_printk_init(void)
{
	trace_printk("This is a static string that will use trace_bputs\n");
	trace_printk(trace_printk_test_global_str);

	/* An interrupt of this CPU's own. */
	smp_call_function_single_async(get_cpu(), &irq_work);
	put_cpu();

	trace_printk("This is a %s that will use trace_bprintk()\n",
		     "static string");
	trace_printk(trace_printk_test_global_str_fmt, "", "dynamic string");
	return 0;
}
module_init(trace_printk_init);

static void __exit trace_printk_exit(void)
{
}
module_exit(trace_printk_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Calls trace_printk() in all ways, in a task and in an interrupt");
