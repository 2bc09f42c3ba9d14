/* SPDX-License-Identifier: GPL-2.0-only */
/* set -x: shows each simple command before it runs, as it was expanded. */
#include <string.h>
#include <unistd.h>

#include "field.h"
#include "word.h"

const char *expand_prompt(const char *name, const char *otherwise)
{
	static struct options outer;
	static bool expanding;
	size_t mark = arena_mark(&tree_arena);
	const char *text = var_get(name);

	if (!text)
		return otherwise;
	/* The last one was an error: this one is what it says. */
	if (expanding) {
		expanding = false;
		options = outer;
		return text;
	}
	expanding = true;
	outer = options;
	options.trace = options.unset = false;
	text = expand_string(lex_heredoc(text, shell.line));
	options = outer;
	arena_release(&tree_arena, mark);
	expanding = false;
	return text;
}

static struct buffer line;
static bool tracing;

static void add(struct buffer *to, const char *text)
{
	buffer_add_string(to, text, MARK_QUOTED);
}

void trace_begin(void)
{
	tracing = options.trace;
	line = (struct buffer) { .length = 0 };
}

void trace_word(const char *name, const char *value)
{
	if (!tracing)
		return;
	if (line.length)
		add(&line, " ");
	add(&line, name);
	if (value) {
		add(&line, "=");
		add(&line, value);
	}
}

void trace_end(const struct strings *words, struct saved_fd *before)
{
	struct buffer all = { .length = 0 };

	for (size_t i = 0; words && i < words->count; i++)
		trace_word(words->items[i], NULL);
	if (!tracing || !line.length)
		return;
	add(&all, expand_prompt("PS4", "+ "));
	add(&all, buffer_string(&line, 0, line.length));
	add(&all, "\n");
	write_all(redirect_original(STDERR_FILENO, before), all.text,
		  all.length);
}
