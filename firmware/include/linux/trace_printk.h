/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages into the trace: from anywhere, at once, and for as long as somebody
 * looks for a bug. Who loads such code is told.
 */
#ifndef _LINUX_TRACE_PRINTK_H
#define _LINUX_TRACE_PRINTK_H

#include <linux/compiler.h>
#include <linux/string.h>

#include <stdarg.h>

/* Where one is. */
#define _THIS_IP_ \
	({ __label__ __here; __here: (unsigned long)&&__here; })

/* The formats show that there is such code. */
#define trace_printk(fmt, ...)						\
do {									\
	static const char *const _trace_printk_fmt			\
		__section("__trace_printk_fmt") __used = fmt;		\
									\
	(void)_trace_printk_fmt;					\
	__trace_printk(_THIS_IP_, fmt, ##__VA_ARGS__);			\
} while (0)

#define trace_puts(str)		__trace_puts(_THIS_IP_, str, strlen(str))
#define ftrace_vprintk(fmt, args) __ftrace_vprintk(_THIS_IP_, fmt, args)

/* How many bytes were written. What is too long is cut. */
notrace int __trace_printk(unsigned long ip, const char *fmt, ...)
	__printf(2, 3);
notrace int __ftrace_vprintk(unsigned long ip, const char *fmt, va_list args)
	__printf(2, 0);
notrace int __trace_puts(unsigned long ip, const char *str, int size);

/* Somebody is going to use it. */
void trace_printk_init_buffers(void);

#endif
