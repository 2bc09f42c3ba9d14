/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes that grow. */
#include <stdlib.h>
#include <string.h>

#include "sed.h"

void text_append(struct text *to, const char *bytes, size_t length)
{
	if (to->length + length + 1 > to->size) {
		to->size = 2 * (to->length + length + 1);
		to->bytes = xrealloc(to->bytes, to->size);
	}
	if (length)
		memcpy(to->bytes + to->length, bytes, length);
	to->length += length;
	to->bytes[to->length] = '\0';
}

void text_append_char(struct text *to, char c)
{
	text_append(to, &c, 1);
}

void text_copy(struct text *to, const struct text *from)
{
	to->length = 0;
	text_append(to, from->bytes, from->length);
	to->newline = from->newline;
}

void text_swap(struct text *a, struct text *b)
{
	struct text old = *a;

	*a = *b;
	*b = old;
}

void text_drop(struct text *text, size_t length)
{
	text->length -= length;
	memmove(text->bytes, text->bytes + length, text->length);
}
