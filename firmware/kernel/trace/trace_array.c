/* SPDX-License-Identifier: GPL-2.0-only */
/* Instances that modules use. They are the host's, which counts the users. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/trace.h>
#include <emu/hostcall.h>

#include <stdarg.h>

struct trace_array *trace_array_get_by_name(const char *name)
{
	long number = hostcall1(HC_TRACE_ARRAY_GET, name);

	return number > 0 ? (struct trace_array *)number : NULL;
}
EXPORT_SYMBOL_GPL(trace_array_get_by_name);

void trace_array_put(struct trace_array *tr)
{
	if (tr)
		WARN_ON(hostcall1(HC_TRACE_ARRAY_PUT, tr));
}
EXPORT_SYMBOL_GPL(trace_array_put);

int trace_array_destroy(struct trace_array *tr)
{
	return tr ? hostcall1(HC_TRACE_ARRAY_DESTROY, tr) : -EINVAL;
}
EXPORT_SYMBOL_GPL(trace_array_destroy);

/* The buffers in which texts are put together are always there. */
int trace_array_init_printk(struct trace_array *tr)
{
	return tr ? 0 : -ENOENT;
}
EXPORT_SYMBOL_GPL(trace_array_init_printk);

notrace int trace_array_printk(struct trace_array *tr, unsigned long ip,
			       const char *fmt, ...)
{
	va_list args;
	int len;

	if (!tr)
		return -ENOENT;
	va_start(args, fmt);
	len = __trace_array_vprintk(tr, ip, fmt, args);
	va_end(args);
	return len;
}
EXPORT_SYMBOL_GPL(trace_array_printk);

int trace_array_set_clr_event(struct trace_array *tr, const char *system,
			      const char *event, bool enable)
{
	int err;

	if (!tr)
		return -ENOENT;
	while ((err = hostcall(HC_TRACE_ARRAY_EVENT, (unsigned long)tr,
			       (unsigned long)(system ?: ""),
			       (unsigned long)(event ?: ""),
			       enable)) == -EAGAIN)
		schedule_timeout_uninterruptible(1);
	return err;
}
EXPORT_SYMBOL_GPL(trace_array_set_clr_event);
