/* SPDX-License-Identifier: GPL-2.0-only */
/* Words half expanded: characters, each with where it came from. */
#ifndef SH_FIELD_H
#define SH_FIELD_H

#include "shell.h"

enum mark {
	MARK_PLAIN,		/* stood in the word, unquoted */
	MARK_QUOTED,		/* only itself: no separator, no pattern */
	MARK_VALUE,		/* of an unquoted expansion: may separate */
	MARK_NOTHING,		/* no character, but there is a field here */
	MARK_BREAK,		/* no character: a field ends here */
};

struct buffer {
	char *text;
	unsigned char *marks;
	size_t length;
	size_t room;
};

void buffer_add(struct buffer *buffer, char c, enum mark mark);
void buffer_add_string(struct buffer *buffer, const char *text,
		       enum mark mark);
/* A range of it as a string, without marks; and as a pattern. */
char *buffer_string(const struct buffer *buffer, size_t from, size_t to);
char *buffer_pattern(const struct buffer *buffer, size_t from, size_t to);
/* Adds the fields it makes, file names expanded. */
void buffer_split(const struct buffer *buffer, struct strings *into);

#endif
