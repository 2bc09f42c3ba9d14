/* SPDX-License-Identifier: GPL-2.0-only */
/* Here-documents: the text after <<, from the next line on. */
#include <string.h>

#include "shell.h"
#include "word.h"

struct heredoc {
	struct redirect *redirect;
	char *delimiter;
	bool quoted;			/* nothing in the text is expanded */
	struct heredoc *next;
};

static struct heredoc *expected;

struct heredoc *heredoc_put_aside(void)
{
	struct heredoc *aside = expected;

	expected = NULL;
	return aside;
}

void heredoc_bring_back(struct heredoc *aside)
{
	expected = aside;
}

void heredoc_forget(void)
{
	expected = NULL;
}

void heredoc_expect(struct redirect *redirect, const struct word *delimiter)
{
	struct heredoc *heredoc = arena_alloc(&tree_arena, sizeof(*heredoc));
	struct heredoc **last = &expected;
	size_t length = 0;

	heredoc->redirect = redirect;
	heredoc->quoted = false;
	heredoc->next = NULL;
	for (const struct part *p = delimiter->parts; p; p = p->next)
		length += p->kind == PART_TEXT ? p->length : 0;
	heredoc->delimiter = arena_alloc(&tree_arena, length + 1);
	length = 0;
	for (const struct part *p = delimiter->parts; p; p = p->next) {
		heredoc->quoted |= p->quoted;
		if (p->kind != PART_TEXT)
			continue;
		memcpy(heredoc->delimiter + length, p->text, p->length);
		length += p->length;
	}
	heredoc->delimiter[length] = '\0';
	while (*last)
		last = &(*last)->next;
	*last = heredoc;
}

/* Text that grows. */
struct text {
	char *bytes;
	size_t length;
	size_t room;
};

static void add(struct text *text, char c)
{
	if (text->length + 1 >= text->room) {
		text->room = text->room ? 2 * text->room : 256;
		text->bytes = arena_grow(&tree_arena, text->bytes,
					 text->length, text->room);
	}
	text->bytes[text->length++] = c;
	text->bytes[text->length] = '\0';
}

/* Adds the next line; false if the input has ended. */
static bool add_line(struct text *text, bool strip_tabs)
{
	int c;

	input_next_prompt(PROMPT_CONTINUE);
	c = input_char();
	while (strip_tabs && c == '\t')
		c = input_char();
	if (c == INPUT_END)
		return false;
	for (; c != INPUT_END; c = input_char()) {
		add(text, c);
		if (c == '\n')
			break;
	}
	return true;
}

static bool is_delimiter(const struct text *text, size_t start,
			 const char *delimiter)
{
	size_t length = strlen(delimiter);
	size_t line = text->length - start;

	if (line > 0 && text->bytes[text->length - 1] == '\n')
		line--;
	return line == length && !memcmp(text->bytes + start, delimiter, line);
}

static struct word *plain_word(const char *text, size_t length)
{
	struct word *word = arena_alloc(&tree_arena, sizeof(*word));
	struct part *part = arena_alloc(&tree_arena, sizeof(*part));

	*part = (struct part) {
		.kind = PART_TEXT, .quoted = true, .text = (char *)text,
		.length = length
	};
	*word = (struct word) { .parts = part };
	return word;
}

static void read_one(const struct heredoc *heredoc)
{
	bool strip_tabs = heredoc->redirect->kind == REDIRECT_HERE_TABS;
	struct text text = { .bytes = "" };
	int line = input->line;

	for (;;) {
		size_t start = text.length;

		if (!add_line(&text, strip_tabs))
			break;
		if (is_delimiter(&text, start, heredoc->delimiter)) {
			text.length = start;
			text.bytes[start] = '\0';
			break;
		}
	}
	heredoc->redirect->target = heredoc->quoted ?
		plain_word(text.bytes, text.length) :
		lex_heredoc(text.bytes, line);
}

void heredoc_read_all(void)
{
	struct heredoc *heredoc = heredoc_put_aside();

	for (; heredoc; heredoc = heredoc->next)
		read_one(heredoc);
}
