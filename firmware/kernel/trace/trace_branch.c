/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The branch tracer: whether what likely() and unlikely() expect is true. The
 * key is on while the tracer is set, or another with the option `branch`.
 */
#include <linux/compiler.h>
#include <linux/trace_entries.h>
#include <emu/layout.h>

LAYOUT_SIZE(ftrace_likely_data);
LAYOUT(ftrace_likely_data, data.func);
LAYOUT(ftrace_likely_data, data.file);
LAYOUT(ftrace_likely_data, data.line);
LAYOUT(ftrace_likely_data, data.correct);
LAYOUT(ftrace_likely_data, data.incorrect);
LAYOUT(ftrace_likely_data, constant);

DEFINE_STATIC_KEY_FALSE(branch_key);

/* Copies a string as far as there is room for it and its end. */
static __always_inline void put_text(char *to, unsigned long size,
				     const char *from)
{
	while (--size && *from)
		*to++ = *from++;
	*to = 0;
}

static __always_inline const char *without_path(const char *file)
{
	const char *base = file;

	while (*file)
		if (*file++ == '/')
			base = file;
	return base;
}

notrace void ftrace_likely_update(struct ftrace_likely_data *f, int val,
				  int expect, int is_constant)
{
	struct branch_entry entry = {
		.line = f->data.line,
		.constant = f->constant != 0,
	};

	if (is_constant) {
		f->constant++;
		entry.constant = 1;
		val = expect;
	}
	entry.correct = val == expect;
	put_text(entry.func, sizeof(entry.func), f->data.func);
	put_text(entry.file, sizeof(entry.file), without_path(f->data.file));
	trace_entry_commit(TRACE_BRANCH, &entry.ent);
	if (entry.correct)
		f->data.correct++;
	else
		f->data.incorrect++;
}
