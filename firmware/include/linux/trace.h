/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instances of the tracer, for modules. A pointer to one is a name that the
 * host knows; there is nothing behind it.
 */
#ifndef _LINUX_TRACE_H
#define _LINUX_TRACE_H

#include <linux/compiler.h>
#include <linux/trace_printk.h>
#include <linux/types.h>

struct trace_array;

/*
 * The instance of this name, made if there is none; NULL: that failed. Until
 * trace_array_put(), which does not remove it, nobody can remove it. May sleep.
 */
struct trace_array *trace_array_get_by_name(const char *name);
void trace_array_put(struct trace_array *tr);
/* Removes it; -EBUSY while somebody uses it, -EINVAL if there is none. */
int trace_array_destroy(struct trace_array *tr);

/* Must be called before a text is written. 0 or -errno. */
int trace_array_init_printk(struct trace_array *tr);
/* As trace_printk(), with where one is. Returns the text's length. */
int trace_array_printk(struct trace_array *tr, unsigned long ip,
		       const char *fmt, ...) __printf(3, 4);

/*
 * Has an event recorded there, or no longer; NULL: all events of the system,
 * or those of this name of all systems. -EINVAL if there is none. May sleep.
 */
int trace_array_set_clr_event(struct trace_array *tr, const char *system,
			      const char *event, bool enable);

#endif
