/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracers that want to know of NMIs. */
#ifndef _LINUX_FTRACE_IRQ_H
#define _LINUX_FTRACE_IRQ_H

#include <linux/types.h>

/* While hwlat looks, it takes NMIs out of what it finds. */
extern bool trace_hwlat_callback_enabled;
void trace_hwlat_callback(bool enter);

static inline void ftrace_nmi_enter(void)
{
	if (trace_hwlat_callback_enabled)
		trace_hwlat_callback(true);
}

static inline void ftrace_nmi_exit(void)
{
	if (trace_hwlat_callback_enabled)
		trace_hwlat_callback(false);
}

#endif
