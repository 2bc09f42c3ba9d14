/* SPDX-License-Identifier: GPL-2.0-only */
/* $0 and its fields: each is made from the other when it is asked for. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "awk.h"

#define MOST_FIELDS	1000000

static struct value *fields;		/* [0] is $0 */
static int room, count;
static bool is_split = true, is_joined = true;

static void reserve(int number)
{
	int larger = room ? room : 64;

	if (number > MOST_FIELDS)
		fatal("field %d is too far out", number);
	while (larger <= number)
		larger *= 2;
	if (larger == room)
		return;
	fields = xrealloc(fields, larger * sizeof(*fields));
	memset(fields + room, 0, (larger - room) * sizeof(*fields));
	room = larger;
}

void record_set(const char *bytes, size_t length)
{
	reserve(0);
	value_set(&fields[0], value_input(bytes, length));
	is_joined = true;
	is_split = false;
}

static void split_blanks(const char *bytes, size_t length,
			 void (*add)(void *, const char *, size_t), void *to)
{
	const char *end = bytes + length;

	for (;;) {
		const char *start;

		while (bytes < end && isspace(*bytes))
			bytes++;
		if (bytes == end)
			return;
		for (start = bytes; bytes < end && !isspace(*bytes); bytes++)
			;
		add(to, start, bytes - start);
	}
}

static void split_regex(const char *bytes, size_t length, struct regex *regex,
			void (*add)(void *, const char *, size_t), void *to)
{
	struct match matches[REGEX_GROUPS];
	size_t start = 0, from = 0;

	while (from <= length && regex_search(regex, bytes, length, from, matches)) {
		if (matches[0].end == matches[0].start) {
			from = matches[0].end + 1;
			continue;
		}
		add(to, bytes + start, matches[0].start - start);
		start = from = matches[0].end;
	}
	add(to, bytes + start, length - start);
}

static void split_char(const char *bytes, size_t length, char separator,
		       void (*add)(void *, const char *, size_t), void *to)
{
	const char *end = bytes + length, *at;

	while ((at = memchr(bytes, separator, end - bytes))) {
		add(to, bytes, at - bytes);
		bytes = at + 1;
	}
	add(to, bytes, end - bytes);
}

struct counted {
	void (*add)(void *to, const char *bytes, size_t length);
	void *to;
	int count;
};

static void add_counted(void *to, const char *bytes, size_t length)
{
	struct counted *counted = to;

	counted->count++;
	counted->add(counted->to, bytes, length);
}

int split_into(const char *bytes, size_t length, struct node *regex,
	       const char *separator,
	       void (*add)(void *to, const char *bytes, size_t length), void *to)
{
	struct counted counted = { .add = add, .to = to };

	if (length == 0)
		return 0;
	if (regex)
		split_regex(bytes, length, regex->regex, add_counted, &counted);
	else if (!strcmp(separator, " "))
		split_blanks(bytes, length, add_counted, &counted);
	else if (!*separator)
		for (size_t i = 0; i < length; i++)
			add_counted(&counted, bytes + i, 1);
	else if (!separator[1] && *separator != '\\')
		split_char(bytes, length, *separator, add_counted, &counted);
	else
		split_regex(bytes, length,
			    dynamic_regex(separator, strlen(separator)),
			    add_counted, &counted);
	return counted.count;
}

static void add_field(void *to, const char *bytes, size_t length)
{
	int *number = to;

	reserve(++*number);
	value_set(&fields[*number], value_input(bytes, length));
}

static void split_record(void)
{
	struct text *whole = as_text(&fields[0]);
	const char *separator = special_text(V_FS);
	int number = 0, old = count;
	struct value rest = { .kind = UNSET };

	is_split = true;
	/* Lines separate fields, too, if an empty line separates records. */
	if (!*special_text(V_RS) && strcmp(separator, " ")) {
		char either[300];

		snprintf(either, sizeof(either), separator[1] ? "(%s)|\n" :
			 "[%s\n]", separator);
		split_into(whole->bytes, whole->length, NULL, either, add_field,
			   &number);
	} else {
		split_into(whole->bytes, whole->length, NULL, separator,
			   add_field, &number);
	}
	count = number;
	for (int i = number + 1; i <= old && i < room; i++)
		value_set(&fields[i], rest);
	set_special(V_NF, count);
	text_put(whole);
}

static void join_record(void)
{
	char *separator = xstrdup(special_text(V_OFS));
	size_t length = 0, between = strlen(separator);
	struct text **texts = xmalloc((count + 1) * sizeof(*texts));
	struct text *whole;
	char *to;

	for (int i = 1; i <= count; i++) {
		texts[i] = as_text(&fields[i]);
		length += texts[i]->length + (i > 1 ? between : 0);
	}
	whole = text_room(length);
	to = whole->bytes;
	for (int i = 1; i <= count; i++) {
		if (i > 1) {
			memcpy(to, separator, between);
			to += between;
		}
		memcpy(to, texts[i]->bytes, texts[i]->length);
		to += texts[i]->length;
		text_put(texts[i]);
	}
	free(texts);
	free(separator);
	value_set(&fields[0], value_input(whole->bytes, whole->length));
	text_put(whole);
	is_joined = true;
}

static void need_fields(void)
{
	reserve(0);
	if (!is_split)
		split_record();
}

const struct value *field_get(int number)
{
	static const struct value unset = { .kind = UNSET };

	if (number < 0)
		fatal("field %d does not exist", number);
	reserve(0);
	if (number == 0) {
		if (!is_joined)
			join_record();
		return &fields[0];
	}
	need_fields();
	return number <= count ? &fields[number] : &unset;
}

int field_count(void)
{
	need_fields();
	return count;
}

void field_count_set(int number)
{
	struct value empty = { .kind = UNSET };

	if (number < 0)
		fatal("NF cannot be %d", number);
	need_fields();
	reserve(number);
	for (int i = number + 1; i <= count; i++)
		value_set(&fields[i], empty);
	for (int i = count + 1; i <= number; i++)
		value_set(&fields[i], value_string("", 0));
	count = number;
	is_joined = false;
	set_special(V_NF, count);
}

void field_set(int number, struct value value)
{
	if (number < 0)
		fatal("field %d does not exist", number);
	if (number == 0) {
		struct text *text = as_text(&value);

		record_set(text->bytes, text->length);
		text_put(text);
		value_free(&value);
		return;
	}
	need_fields();
	if (number > count)
		field_count_set(number);
	value_set(&fields[number], value);
	is_joined = false;
}
