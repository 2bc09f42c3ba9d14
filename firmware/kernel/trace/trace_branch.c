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

static notrace void ftrace_likely_update(struct ftrace_likely_data *f,
					 bool correct)
{
	struct branch_entry entry = {
		.line = f->data.line,
		.constant = f->constant != 0,
		.correct = correct,
	};

	put_text(entry.func, sizeof(entry.func), f->data.func);
	put_text(entry.file, sizeof(entry.file), without_path(f->data.file));
	trace_entry_commit(TRACE_BRANCH, &entry.ent);
	if (correct)
		f->data.correct++;
	else
		f->data.incorrect++;
}

notrace void ftrace_likely_correct(struct ftrace_likely_data *f)
{
	ftrace_likely_update(f, true);
}

notrace void ftrace_likely_incorrect(struct ftrace_likely_data *f)
{
	ftrace_likely_update(f, false);
}

notrace void ftrace_likely_constant(struct ftrace_likely_data *f)
{
	f->constant++;
	ftrace_likely_update(f, true);
}
