/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host wants the kernel thread ktraced to do. */
#ifndef _EMU_TRACE_WORK_H
#define _EMU_TRACE_WORK_H

#include <linux/types.h>

/* The kinds, and what their arguments are; the result is 0, if nothing else. */
enum {
	TRACE_WORK_LOG = 1,	/* a line for the kernel's log: its level */
	TRACE_WORK_DUMP = 2,	/* ftrace_dump_cpu(): the CPU, or ALL_CPUS */
	TRACE_WORK_SYNCHRONIZE_RCU_TASKS = 3,

	/*
	 * Probes in programs: their numbers, which the host gives. The text of
	 * a new one is "p OFFSET REF_CTR_OFFSET PATH", r for its return.
	 */
	TRACE_WORK_UPROBE_CREATE = 4,
	TRACE_WORK_UPROBE_ENABLE = 5,
	TRACE_WORK_UPROBE_DISABLE = 6,
	TRACE_WORK_UPROBE_REMOVE = 7,	/* disabled or not */

	/* Threads of hwlat. When they start: a mode to be set, or -1. */
	TRACE_WORK_HWLAT_START = 8,
	TRACE_WORK_HWLAT_STOP = 9,
	/* The threads of osnoise, or with an argument that is not 0, timerlat. */
	TRACE_WORK_OSNOISE_START = 10,
	TRACE_WORK_OSNOISE_STOP = 11,

	TRACE_WORK_MMIOTRACE = 12,	/* the tracer is set, or is not */

	/* Somebody wants an event, or nobody any longer: its trace_event_call. */
	TRACE_WORK_EVENT_REG = 13,
	TRACE_WORK_EVENT_UNREG = 14,

	TRACE_WORK_COUNT
};

#define TRACE_WORK_TEXT	4096

/* What HC_TRACE_WORK_NEXT fills in. */
struct trace_work {
	u64	kind;
	s64	argument;
	char	text[TRACE_WORK_TEXT];	/* ends with NUL */
};

/* Says what does a kind of work that not every architecture has. */
void trace_work_register(unsigned int kind,
			 long (*func)(const struct trace_work *work));

#endif
