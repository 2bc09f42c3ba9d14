/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host reads of events, and what their probes call. */
#ifndef _LINUX_TRACE_EVENTS_H
#define _LINUX_TRACE_EVENTS_H

#include <linux/jump_label.h>

/* What every entry begins with; the host fills it. */
struct trace_entry {
	u16 type;
	u8 flags;
	u8 preempt_count;
	s32 pid;
};

/* A field of an entry. Its place follows from the sizes and alignments. */
struct trace_event_field {
	const char *type;	/* NULL: there are no more */
	const char *name;
	u32 size;
	u32 align;
	u32 is_signed;
	u32 element;		/* size of a number, or of each in an array */
};

struct trace_event_call {
	u64 id;			/* written by the host */
	const char *system;
	const char *name;
	const char *print_fmt;
	const struct trace_event_field *fields;
	struct static_key *key;
	struct static_key *hook;	/* on with key: leads there; or NULL */
	u64 size;
	int (*reg)(void);	/* before somebody wants the event; or NULL */
	void (*unreg)(void);	/* when nobody does any more */
};

/* Room for a text that is put together for an event: __vstring(). */
#define TRACE_EVENT_STR_MAX	256

/* A name that print_fmt uses, and what it stands for. */
struct trace_eval_map {
	const char *system;
	const char *eval_string;
	u64 eval_value;
};

/*
 * The data of a field of variable length, in the order of the fields. The host
 * appends it to the entry and stores in the field where it is.
 */
struct trace_dynamic {
	const void *data;	/* NULL: the string "(null)" */
	u64 size;		/* bytes, or one of these */
};

#define TRACE_STRING		(1UL << 63)	/* up to its NUL */
#define TRACE_STRING_LEN(len)	(TRACE_STRING | ((len) + 1UL)) /* at most len */

/* In .ftrace.text: the host records the entry when a block begins there. */
void trace_event_buffer_commit(struct trace_event_call *call, void *entry,
			       struct trace_dynamic *dynamic,
			       unsigned long count);

#endif
