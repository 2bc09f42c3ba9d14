/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's messages, one line at a time, to the console. */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include <emu/hostcall.h>

#define LOG_LINE_MAX	1024

static DEFINE_SPINLOCK(console_lock);
static char console_line[LOG_LINE_MAX];	/* under console_lock */

int vprintk(const char *fmt, va_list args)
{
	unsigned long flags, now = sched_clock() / 1000;
	int len;

	spin_lock_irqsave(&console_lock, flags);
	len = scnprintf(console_line, LOG_LINE_MAX, "[%5lu.%06lu] ",
			now / 1000000, now % 1000000);
	len += vsnprintf(console_line + len, LOG_LINE_MAX - len, fmt, args);
	len = min(len, LOG_LINE_MAX - 1);
	hostcall2(HC_CONSOLE_WRITE, console_line, len);
	spin_unlock_irqrestore(&console_lock, flags);
	return len;
}

int printk(const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vprintk(fmt, args);
	va_end(args);
	return len;
}
