/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages into the trace: from anywhere, at once, and for as long as somebody
 * looks for a bug. Who loads such code is told.
 */
#ifndef _LINUX_TRACE_PRINTK_H
#define _LINUX_TRACE_PRINTK_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/string.h>

#include <stdarg.h>

struct module;
struct trace_array;

/* Where one is. */
#define _THIS_IP_ \
	({ __label__ __here; __here: (unsigned long)&&__here; })

/*
 * A format that is a constant: what is recorded refers to it by this pointer,
 * and is put into words when the trace is read. NULL: it is none.
 */
#define TRACE_PRINTK_FMT(name, fmt)					\
	static const char *name						\
		__section("__trace_printk_fmt") __used =		\
		__builtin_constant_p(fmt) ? fmt : NULL

#define trace_printk(fmt, ...)						\
do {									\
	TRACE_PRINTK_FMT(_trace_printk_fmt, fmt);			\
									\
	if (!__builtin_constant_p(fmt))					\
		__trace_printk(_THIS_IP_, fmt, ##__VA_ARGS__);		\
	else if (sizeof(#__VA_ARGS__) > 1)				\
		__trace_bprintk(_THIS_IP_, _trace_printk_fmt,		\
				##__VA_ARGS__);				\
	else								\
		__trace_bputs(_THIS_IP_, _trace_printk_fmt);		\
} while (0)

#define trace_puts(str)							\
({									\
	TRACE_PRINTK_FMT(_trace_printk_fmt, str);			\
									\
	__builtin_constant_p(str) ?					\
		__trace_bputs(_THIS_IP_, _trace_printk_fmt) :		\
		__trace_puts(_THIS_IP_, str, strlen(str));		\
})

#define ftrace_vprintk(fmt, args)					\
({									\
	TRACE_PRINTK_FMT(_trace_printk_fmt, fmt);			\
									\
	__builtin_constant_p(fmt) ?					\
		__ftrace_vbprintk(_THIS_IP_, _trace_printk_fmt, args) :	\
		__ftrace_vprintk(_THIS_IP_, fmt, args);			\
})

/*
 * How many bytes were written. What is too long is cut; arguments that are too
 * long are not recorded.
 */
notrace int __trace_printk(unsigned long ip, const char *fmt, ...)
	__printf(2, 3);
notrace int __ftrace_vprintk(unsigned long ip, const char *fmt, va_list args)
	__printf(2, 0);
notrace int __trace_array_vprintk(struct trace_array *tr, unsigned long ip,
				  const char *fmt, va_list args)
	__printf(3, 0);
notrace int __trace_bprintk(unsigned long ip, const char *fmt, ...)
	__printf(2, 3);
notrace int __ftrace_vbprintk(unsigned long ip, const char *fmt, va_list args)
	__printf(2, 0);
notrace int __trace_puts(unsigned long ip, const char *str, int size);
notrace int __trace_bputs(unsigned long ip, const char *str);

/* Somebody is going to use it. */
void trace_printk_init_buffers(void);

/* A format of modules. It outlives them, as what was recorded does. */
struct trace_bprintk_fmt {
	struct list_head list;
	const char *fmt;
};

/* Has a module use formats that outlive it, before its init. May sleep. */
void hold_module_trace_bprintk_format(struct module *mod);

#endif
