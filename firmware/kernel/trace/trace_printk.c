/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages into the trace. The buffers are the host's; this finds out what to
 * write, in any context. None of it is traced.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/trace_printk.h>
#include <emu/hostcall.h>

#include "trace.h"

#define TRACE_BUF_SIZE	1024
#define TRACE_CONTEXTS	4	/* task, softirq, interrupt, NMI */

struct trace_buffer_struct {
	int nesting;
	char buffer[TRACE_CONTEXTS][TRACE_BUF_SIZE] __aligned(8);
};

static DEFINE_PER_CPU(struct trace_buffer_struct, trace_percpu_buffer);

/* One for each context that may interrupt another; NULL if there are more. */
static notrace char *get_trace_buf(void)
{
	struct trace_buffer_struct *bufs = this_cpu_ptr(&trace_percpu_buffer);

	if (bufs->nesting >= TRACE_CONTEXTS)
		return NULL;
	return bufs->buffer[bufs->nesting++];
}

static notrace void put_trace_buf(void)
{
	this_cpu_ptr(&trace_percpu_buffer)->nesting--;
}

/* Into an instance; NULL: the top array. */
notrace int __trace_array_vprintk(struct trace_array *tr, unsigned long ip,
				  const char *fmt, va_list args)
{
	int len = 0;
	char *buf;

	/* The event shows what there was before this one. */
	preempt_disable_notrace();
	buf = get_trace_buf();
	if (buf) {
		len = vsnprintf(buf, TRACE_BUF_SIZE, fmt, args);
		len = min(len, TRACE_BUF_SIZE - 1);
		if (tr)
			hostcall(HC_TRACE_ARRAY_PRINTK, (unsigned long)tr, ip,
				 (unsigned long)buf, len);
		else
			hostcall(HC_TRACE_PRINTK, ip, (unsigned long)buf, len,
				 1);
		put_trace_buf();
	}
	preempt_enable_no_resched_notrace();
	return len;
}

notrace void tracer_printk(enum trace_type type, unsigned long ip,
			   const char *fmt, ...)
{
	va_list args;
	char *buf;
	int len;

	preempt_disable_notrace();
	buf = get_trace_buf();
	if (buf) {
		va_start(args, fmt);
		len = vsnprintf(buf, TRACE_BUF_SIZE, fmt, args);
		va_end(args);
		hostcall(HC_TRACER_PRINTK, type, ip, (unsigned long)buf,
			 min(len, TRACE_BUF_SIZE - 1));
		put_trace_buf();
	}
	preempt_enable_no_resched_notrace();
}

notrace int __ftrace_vprintk(unsigned long ip, const char *fmt, va_list args)
{
	return __trace_array_vprintk(NULL, ip, fmt, args);
}

notrace int __trace_printk(unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = __ftrace_vprintk(ip, fmt, args);
	va_end(args);
	return len;
}

notrace int __ftrace_vbprintk(unsigned long ip, const char *fmt, va_list args)
{
	int words = 0;
	char *buf;

	if (!fmt)
		return 0;
	preempt_disable_notrace();
	buf = get_trace_buf();
	if (buf) {
		words = vbin_printf((u32 *)buf, TRACE_BUF_SIZE / sizeof(u32),
				    fmt, args);
		if (words <= TRACE_BUF_SIZE / sizeof(u32))
			hostcall(HC_TRACE_BPRINT, ip, (unsigned long)fmt,
				 (unsigned long)buf, words);
		put_trace_buf();
	}
	preempt_enable_no_resched_notrace();
	return words * sizeof(u32);
}

notrace int __trace_bprintk(unsigned long ip, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = __ftrace_vbprintk(ip, fmt, args);
	va_end(args);
	return len;
}

/* Each text is a line. */
notrace int __trace_puts(unsigned long ip, const char *str, int size)
{
	size = min(size, TRACE_BUF_SIZE - 2);
	return __trace_printk(ip, size && str[size - 1] == '\n' ? "%.*s" :
				  "%.*s\n", size, str);
}

notrace int __trace_bputs(unsigned long ip, const char *str)
{
	if (!str)
		return 0;
	hostcall2(HC_TRACE_BPUTS, ip, str);
	return strlen(str);
}

void trace_printk_init_buffers(void)
{
	static bool told;

	if (told)
		return;
	told = true;
	pr_warn("**********************************************************\n");
	pr_warn("**   NOTICE: trace_printk() is in use. It is there to   **\n");
	pr_warn("**   find bugs, costs time at every call, and has no    **\n");
	pr_warn("**   place in a kernel that others work with.           **\n");
	pr_warn("**********************************************************\n");
}

extern const char *const __start___trace_printk_fmt[];
extern const char *const __stop___trace_printk_fmt[];

static int __init init_trace_printk(void)
{
	if (__stop___trace_printk_fmt - __start___trace_printk_fmt)
		trace_printk_init_buffers();
	return 0;
}
fs_initcall(init_trace_printk);
