/* SPDX-License-Identifier: GPL-2.0-only */
/* A line of UTF-8 and how it is changed. */
#include <string.h>

#include "line.h"

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t line_next(const struct line *line, size_t at)
{
	if (at < line->length)
		at++;
	while (at < line->length && continues(line->text[at]))
		at++;
	return at;
}

size_t line_previous(const struct line *line, size_t at)
{
	if (at > 0)
		at--;
	while (at > 0 && continues(line->text[at]))
		at--;
	return at;
}

size_t line_next_word(const struct line *line, size_t at)
{
	while (at < line->length && line->text[at] == ' ')
		at++;
	while (at < line->length && line->text[at] != ' ')
		at++;
	return at;
}

size_t line_previous_word(const struct line *line, size_t at)
{
	while (at > 0 && line->text[at - 1] == ' ')
		at--;
	while (at > 0 && line->text[at - 1] != ' ')
		at--;
	return at;
}

bool line_insert(struct line *line, const char *text, size_t length)
{
	char *here = line->text + line->cursor;

	if (length >= LINE_ROOM - line->length)
		return false;
	memmove(here + length, here, line->length - line->cursor);
	memcpy(here, text, length);
	line->length += length;
	line->cursor += length;
	return true;
}

void line_delete(struct line *line, size_t from, size_t to)
{
	memmove(line->text + from, line->text + to, line->length - to);
	line->length -= to - from;
	if (line->cursor >= to)
		line->cursor -= to - from;
	else if (line->cursor > from)
		line->cursor = from;
}

void line_set(struct line *line, const char *text, size_t length)
{
	line->length = line->cursor = 0;
	line_insert(line, text, length);
}
