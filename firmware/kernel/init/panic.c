/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of the machine, and warnings about it. */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/oops.h>
#include <linux/sysctl.h>
#include <emu/hostcall.h>

#define PANIC_BUF_SIZE	256

static int panic_on_warn;

static char panic_buf[PANIC_BUF_SIZE];

/* In any context, whatever lock is held: the machine ends here. */
static __noreturn void vpanic(struct pt_regs *regs, const char *fmt,
			      va_list args)
{
	local_irq_disable();
	vsnprintf(panic_buf, sizeof(panic_buf), fmt, args);
	ftrace_dump(ftrace_dump_on_oops);
	hostcall2(HC_PANIC, panic_buf, regs);
	unreachable();
}

void panic(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vpanic(NULL, fmt, args);
}

void panic_regs(struct pt_regs *regs, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vpanic(regs, fmt, args);
}

void __bug(const char *file, int line)
{
	panic("kernel BUG at %s:%d", file, line);
}

/*
 * The host warns, and the kernel goes on. @regs: where it was, or NULL for
 * here.
 */
void report_bug(struct pt_regs *regs, const char *fmt, ...)
{
	char buf[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	printk_quiet(KERN_WARNING "%s\n", buf);
	hostcall2(HC_BUG, buf, regs);
}

void __warn(const char *file, int line)
{
	disable_trace_on_warning();
	report_bug(NULL, "WARNING at %s:%d", file, line);
	if (panic_on_warn)
		panic("kernel: panic_on_warn set ...");
}

static struct ctl_table kern_panic_table[] = {
	{
		.procname	= "panic_on_oops",
		.data		= &panic_on_oops,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec,
	},
	{
		.procname	= "panic_on_warn",
		.data		= &panic_on_warn,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE,
	},
	{ }
};

static int __init kernel_panic_sysctls_init(void)
{
	register_sysctl_init("kernel", kern_panic_table);
	return 0;
}
late_initcall(kernel_panic_sysctls_init);
