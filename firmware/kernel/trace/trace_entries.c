/* SPDX-License-Identifier: GPL-2.0-only */
/* Records what tracers in the guest have to say. */
#include <linux/compiler.h>
#include <linux/trace_entries.h>

notrace void trace_entry_commit(enum trace_type type, struct trace_entry *entry)
{
	struct trace_event_call call = { .id = type };

	trace_event_buffer_commit(&call, entry, NULL, 0);
}

notrace void trace_entry_commit_data(enum trace_type type,
				     struct trace_entry *entry,
				     const void *data, unsigned long size)
{
	struct trace_event_call call = { .id = type };
	struct trace_dynamic dynamic = { data, size };

	trace_event_buffer_commit(&call, entry, &dynamic, 1);
}
