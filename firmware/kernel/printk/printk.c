/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's messages: kept in a ring, and those that matter shown. */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include <emu/hostcall.h>

#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/printk.h>

#define LOG_LINE_MAX	1024

/* What the console shows, and what a message without a level has. */
int console_printk[4] = {
	CONSOLE_LOGLEVEL_DEFAULT,
	MESSAGE_LOGLEVEL_DEFAULT,
	CONSOLE_LOGLEVEL_MIN,
	CONSOLE_LOGLEVEL_DEFAULT,
};

static char console_line[LOG_LINE_MAX];	/* with the log locked */

/* The level that begins a format, which it skips. */
int printk_parse_prefix(const char **fmt)
{
	const char *s = *fmt;

	if (s[0] != KERN_SOH_ASCII || s[1] < '0' || s[1] > '7')
		return console_printk[1];
	*fmt += 2;
	return s[1] - '0';
}

/* With the log locked. */
static void console_emit(u64 ts_nsec, const char *text, int len)
{
	unsigned long us = ts_nsec / 1000;
	int n;

	n = scnprintf(console_line, LOG_LINE_MAX, "[%5lu.%06lu] %.*s\n",
		      us / 1000000, us % 1000000, len, text);
	hostcall2(HC_CONSOLE_WRITE, console_line, n);
}

static void emit(int facility, int level, const char *text, int len, bool show)
{
	u64 ts_nsec = sched_clock();

	trace_console(text, len);
	log_store(facility, level, ts_nsec, text, len);
	if (show && level < console_printk[0])
		console_emit(ts_nsec, text, len);
}

/* One message: into the log, and to the console if its level says so. */
static int vprintk_store(int level, const char *fmt, va_list args, bool show)
{
	static char text[LOG_LINE_MAX - 32];	/* with the log locked */
	unsigned long flags;
	int len;

	if (!log_lock_irqsave(&flags))
		return 0;
	len = vsnprintf(text, sizeof(text), fmt, args);
	len = min_t(int, len, sizeof(text) - 1);
	if (len && text[len - 1] == '\n')
		len--;
	emit(LOG_KERN, level, text, len, show);
	log_unlock_irqrestore(flags);
	wake_up_klogd();
	return len;
}

int vprintk(const char *fmt, va_list args)
{
	int level = printk_parse_prefix(&fmt);

	return vprintk_store(level, fmt, args, true);
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

/* For what is shown in another way. */
int printk_quiet(const char *fmt, ...)
{
	int level = printk_parse_prefix(&fmt), len;
	va_list args;

	va_start(args, fmt);
	len = vprintk_store(level, fmt, args, false);
	va_end(args);
	return len;
}

/* What has been put into words elsewhere: by a program, by the host. */
void printk_text(int facility, int level, const char *text, int len)
{
	unsigned long flags;

	if (!log_lock_irqsave(&flags))
		return;
	emit(facility, level, text, len, true);
	log_unlock_irqrestore(flags);
	wake_up_klogd();
}

void printk_line(int level, const char *text)
{
	printk_text(LOG_KERN, level, text, strlen(text));
}
