/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits what expansion made into fields, and makes strings of them. */
#include <ctype.h>
#include <string.h>

#include "field.h"

void strings_add(struct strings *list, char *item)
{
	if (list->count + 1 >= list->room) {
		list->room = list->room ? 2 * list->room : 8;
		list->items = arena_grow(&temp_arena, list->items,
					 list->count * sizeof(*list->items),
					 list->room * sizeof(*list->items));
	}
	if (item)
		list->items[list->count++] = item;
	list->items[list->count] = NULL;
}

void buffer_add(struct buffer *buffer, char c, enum mark mark)
{
	if (buffer->length == buffer->room) {
		buffer->room = buffer->room ? 2 * buffer->room : 64;
		buffer->text = arena_grow(&temp_arena, buffer->text,
					  buffer->length, buffer->room);
		buffer->marks = arena_grow(&temp_arena, buffer->marks,
					   buffer->length, buffer->room);
	}
	buffer->text[buffer->length] = c;
	buffer->marks[buffer->length++] = mark;
}

void buffer_add_string(struct buffer *buffer, const char *text, enum mark mark)
{
	while (*text)
		buffer_add(buffer, *text++, mark);
}

char *buffer_string(const struct buffer *buffer, size_t from, size_t to)
{
	char *string = arena_alloc(&temp_arena, to - from + 1);
	const char *ifs = var_get("IFS");
	char *end = string;

	for (; from < to; from++) {
		/* Where nothing is split, as $* in quotes would have it. */
		if (buffer->marks[from] == MARK_BREAK && (!ifs || *ifs))
			*end++ = ifs ? *ifs : ' ';
		else if (buffer->marks[from] < MARK_NOTHING)
			*end++ = buffer->text[from];
	}
	*end = '\0';
	return string;
}

char *buffer_pattern(const struct buffer *buffer, size_t from, size_t to)
{
	char *pattern = arena_alloc(&temp_arena, 2 * (to - from) + 1);
	char *end = pattern;

	for (; from < to; from++) {
		if (buffer->marks[from] == MARK_NOTHING)
			continue;
		if (buffer->marks[from] == MARK_QUOTED &&
		    strchr("*?[]\\-!^", buffer->text[from]))
			*end++ = '\\';
		*end++ = buffer->text[from];
	}
	*end = '\0';
	return pattern;
}

static bool may_be_pattern(const struct buffer *buffer, size_t from, size_t to)
{
	for (; from < to; from++)
		if (buffer->marks[from] <= MARK_VALUE &&
		    buffer->marks[from] != MARK_QUOTED &&
		    strchr("*?[", buffer->text[from]))
			return true;
	return false;
}

static void add_field(const struct buffer *buffer, size_t from, size_t to,
		      struct strings *into)
{
	if (!options.no_files && may_be_pattern(buffer, from, to) &&
	    glob(buffer_pattern(buffer, from, to), into))
		return;
	strings_add(into, buffer_string(buffer, from, to));
}

/*
 * White space in IFS only separates; any other character of IFS ends a field,
 * also an empty one, and takes the white space around it along.
 */
void buffer_split(const struct buffer *buffer, struct strings *into)
{
	const char *ifs = var_get("IFS");
	enum {
		NO_FIELD,		/* since the start or a separator */
		IN_FIELD,
		AFTER_SPACE,		/* a field ended, its separator may come */
	} state = NO_FIELD;
	size_t start = 0;

	if (!ifs)
		ifs = " \t\n";
	for (size_t i = 0; i < buffer->length; i++) {
		enum mark mark = buffer->marks[i];
		char c = buffer->text[i];
		bool separates = mark == MARK_VALUE && strchr(ifs, c);

		if (separates && !isspace(c) && state == NO_FIELD) {
			add_field(buffer, i, i, into);
		} else if (separates || mark == MARK_BREAK) {
			if (state == IN_FIELD)
				add_field(buffer, start, i, into);
			if (!separates || !isspace(c))
				state = NO_FIELD;
			else if (state == IN_FIELD)
				state = AFTER_SPACE;
		} else if (state != IN_FIELD) {
			start = i;
			state = IN_FIELD;
		}
	}
	if (state == IN_FIELD)
		add_field(buffer, start, buffer->length, into);
}
