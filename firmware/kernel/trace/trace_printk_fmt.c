/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The formats of modules that call trace_printk(). The trace refers to them
 * when the module may be gone; equal ones are one, and none is ever freed.
 */
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_printk.h>

/* Holds every struct trace_bprintk_fmt; the host reads it. */
static LIST_HEAD(trace_bprintk_fmt_list);

/* Protects the list. */
static DEFINE_MUTEX(btrace_mutex);

/* NULL: there is no memory, and what has this format is not recorded. */
static const char *hold_format(const char *fmt)
{
	struct trace_bprintk_fmt *pos;

	list_for_each_entry(pos, &trace_bprintk_fmt_list, list)
		if (!strcmp(pos->fmt, fmt))
			return pos->fmt;
	pos = kmalloc(sizeof(*pos), GFP_KERNEL);
	if (!pos)
		return NULL;
	pos->fmt = kstrdup(fmt, GFP_KERNEL);
	if (!pos->fmt) {
		kfree(pos);
		return NULL;
	}
	list_add_tail(&pos->list, &trace_bprintk_fmt_list);
	return pos->fmt;
}

void hold_module_trace_bprintk_format(struct module *mod)
{
	const char **iter = mod->trace_bprintk_fmt_start;

	mutex_lock(&btrace_mutex);
	for (unsigned int n = 0; n < mod->num_trace_bprintk_fmt; n++)
		if (iter[n])
			iter[n] = hold_format(iter[n]);
	mutex_unlock(&btrace_mutex);
}
