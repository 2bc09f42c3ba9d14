/* SPDX-License-Identifier: GPL-2.0-only */
/* Values: numbers, strings, and what comes from input and may be either. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "awk.h"

struct text *text_room(size_t length)
{
	struct text *text = xmalloc(sizeof(*text) + length + 1);

	text->users = 1;
	text->length = length;
	text->bytes[length] = '\0';
	return text;
}

struct text *text_new(const char *bytes, size_t length)
{
	struct text *text = text_room(length);

	memcpy(text->bytes, bytes, length);
	return text;
}

void text_put(struct text *text)
{
	if (text && --text->users == 0)
		free(text);
}

struct value value_number(double number)
{
	return (struct value){ .kind = NUMBER, .number = number };
}

struct value value_text(struct text *text)
{
	return (struct value){ .kind = STRING, .text = text };
}

struct value value_string(const char *bytes, size_t length)
{
	return value_text(text_new(bytes, length));
}

/* Blanks may stand around a number, and nothing else. */
static bool looks_numeric(const char *bytes, size_t length, double *number)
{
	const char *end;

	while (length > 0 && isspace(*bytes))
		bytes++, length--;
	end = scan_number(bytes, number);
	if (end == bytes)
		return false;
	while (end < bytes + length && isspace(*end))
		end++;
	return end == bytes + length;
}

struct value value_input(const char *bytes, size_t length)
{
	struct value value = value_string(bytes, length);

	if (looks_numeric(value.text->bytes, length, &value.number))
		value.kind = STRNUM;
	return value;
}

struct value value_copy(const struct value *value)
{
	if (value->text)
		value->text->users++;
	return *value;
}

void value_free(struct value *value)
{
	text_put(value->text);
	*value = (struct value){ .kind = UNSET };
}

void value_set(struct value *to, struct value value)
{
	struct text *old = to->text;

	*to = value;
	text_put(old);
}

double to_number(const struct value *value)
{
	double number = 0;

	if (value->kind != STRING)
		return value->kind == UNSET ? 0 : value->number;
	scan_number(value->text->bytes, &number);
	return number;
}

bool to_bool(const struct value *value)
{
	switch (value->kind) {
	case UNSET:
		return false;
	case STRING:
		return value->text->length > 0;
	default:
		return value->number != 0;
	}
}

struct text *to_text(const struct value *value, const char *format)
{
	if (value->kind == UNSET)
		return text_new("", 0);
	if (value->kind == NUMBER)
		return format_number(format, value->number);
	value->text->users++;
	return value->text;
}

struct text *as_text(const struct value *value)
{
	return to_text(value, special_text(V_CONVFMT));
}

static int compare_texts(const struct text *a, const struct text *b)
{
	size_t shared = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->bytes, b->bytes, shared);

	if (order)
		return order;
	return a->length < b->length ? -1 : a->length > b->length;
}

int value_compare(const struct value *a, const struct value *b)
{
	struct text *x, *y;
	int order;

	if (a->kind != STRING && b->kind != STRING) {
		double m = to_number(a), n = to_number(b);

		return m < n ? -1 : m > n;
	}
	x = as_text(a);
	y = as_text(b);
	order = compare_texts(x, y);
	text_put(x);
	text_put(y);
	return order;
}
