/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries of the system `ftrace` that tracers in the guest fill. They have
 * fixed numbers, go to the arrays whose tracer records them, and need no key: a
 * tracer that is not set does not come here.
 *
 * An entry is a structure that begins with struct trace_entry, which the host
 * fills, and has the fields that emu/ftrace/event/internal.py declares:
 *
 *	struct hwlat_entry entry = { .duration = ... };
 *
 *	trace_entry_commit(TRACE_HWLAT, &entry.ent);
 */
#ifndef _LINUX_TRACE_ENTRIES_H
#define _LINUX_TRACE_ENTRIES_H

#include <linux/mmiotrace.h>
#include <linux/trace_events.h>
#include <linux/types.h>

/* The numbers of Linux. */
enum trace_type {
	TRACE_STACK	= 4,
	TRACE_MMIO_RW	= 7,
	TRACE_MMIO_MAP	= 8,
	TRACE_BRANCH	= 9,
	TRACE_BLK	= 13,
	TRACE_HWLAT	= 15,
	TRACE_OSNOISE	= 16,
	TRACE_TIMERLAT	= 17,
};

struct branch_entry {
	struct trace_entry ent;
	u32 line;
	char func[31];
	char file[21];
	char correct;
	char constant;
};

struct hwlat_entry {
	struct trace_entry ent;
	u64 duration;
	u64 outer_duration;
	u64 nmi_total_ts;
	s64 tv_sec;
	s64 tv_nsec;
	u32 nmi_count;
	u32 seqnum;
	u32 count;
};

struct trace_mmiotrace_rw {
	struct trace_entry ent;
	struct mmiotrace_rw rw;
};

struct trace_mmiotrace_map {
	struct trace_entry ent;
	struct mmiotrace_map map;
};

struct osnoise_entry {
	struct trace_entry ent;
	u64 noise;		/* times are in us */
	u64 runtime;
	u64 max_sample;
	u32 hw_count;
	u32 nmi_count;
	u32 irq_count;
	u32 softirq_count;
	u32 thread_count;
};

/* The addresses follow, the innermost call's first. */
struct stack_entry {
	struct trace_entry ent;
	s32 size;		/* how many */
	u32 padding;
};

enum { TIMERLAT_IRQ, TIMERLAT_THREAD };

struct timerlat_entry {
	struct trace_entry ent;
	u32 seqnum;
	s32 context;
	u64 timer_latency;	/* in ns */
};

/* Records an entry whose fields are filled. */
void trace_entry_commit(enum trace_type type, struct trace_entry *entry);
/* The same of a type that ends with @size bytes of @data, 0 or more. */
void trace_entry_commit_data(enum trace_type type, struct trace_entry *entry,
			     const void *data, unsigned long size);

#endif
