/* SPDX-License-Identifier: GPL-2.0-only */
/* A module that writes into the trace, from its init and from a timer. */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/timer.h>
#include <linux/trace_printk.h>

static int count = 3;
module_param(count, int, 0444);
MODULE_PARM_DESC(count, "how often the timer writes");

static bool formats;
module_param(formats, bool, 0444);
MODULE_PARM_DESC(formats, "write texts with all conversions, each one twice");

static bool stop;
module_param(stop, bool, 0444);
MODULE_PARM_DESC(stop, "tracing is off from the last text of the timer to the module's end");

static int snapshot;
module_param(snapshot, int, 0444);
MODULE_PARM_DESC(snapshot, "1: take one after the last text of the timer; 2: also in init, making room");

static struct timer_list timer;
static int written;

static void sample_printk_tick(struct timer_list *unused)
{
	if (written == count) {
		if (snapshot)
			tracing_snapshot();
		if (stop)
			tracing_off();
		return;
	}
	written++;
	trace_printk("tick %d of %d\n", written, count);
	mod_timer(&timer, jiffies + 2);
}

/* One text is made when it is read, the other one at once. */
#define TWICE(fmt, ...)				\
do {						\
	const char *volatile now = fmt;		\
						\
	trace_printk(fmt, ##__VA_ARGS__);	\
	trace_printk(now, ##__VA_ARGS__);	\
} while (0)

static void __init sample_printk_formats(void)
{
	static char many[2000];

	TWICE("%d %i %u %x %X %o %c%%\n", -1, 2, -3, 0xbeef, 0xbeef, 8, 'c');
	TWICE("%ld %lu %lx %#lx %zu\n", LONG_MIN, -1UL, 1L << 40, 255L, 5UL);
	TWICE("%hd %hu %hhd %hhu %hx\n", -1, -1, 200, 200, 0x12345);
	TWICE("%5d|%-5d|%05d|%+d|% d|%.3d|%#o\n", 42, 42, 42, 42, 42, 7, 8);
	TWICE("%c%s%c%ld%hhd%hd%d\n", 'a', "bc", 'd', 1L, 2, 3, 4);
	TWICE("%8s|%-8s|%.2s|%s\n", "right", "left", "cut", (char *)NULL);
	TWICE("%*d|%-*d|%*d|%.*s|%.*d\n", 6, 1, 6, 2, -6, 3, 2, "abc", 4, 5);
	TWICE("%p|%20p\n", (void *)0x1234, (void *)-1L);
	trace_printk("%pS|%ps|%px\n", &sample_printk_formats,
		     &sample_printk_formats, (void *)0x1234);
	memset(many, 'x', sizeof(many) - 1);
	trace_printk("%s\n", many);
	trace_puts(many);
	trace_puts(many + sizeof(many) - 4);
}

static int __init sample_printk_init(void)
{
	trace_puts("hello\n");
	if (formats)
		sample_printk_formats();
	if (snapshot == 2)
		tracing_snapshot_alloc();
	timer_setup(&timer, sample_printk_tick, 0);
	mod_timer(&timer, jiffies + 2);
	return 0;
}
module_init(sample_printk_init);

static void __exit sample_printk_exit(void)
{
	del_timer_sync(&timer);
	if (stop && !tracing_is_on())
		tracing_on();
	trace_printk("%d of %d\n", written, count);
}
module_exit(sample_printk_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Calls trace_printk()");
