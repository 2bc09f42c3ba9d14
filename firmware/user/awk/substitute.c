/* SPDX-License-Identifier: GPL-2.0-only */
/* sub() and gsub(). */
#include <stdlib.h>
#include <string.h>

#include "awk.h"

struct growing {
	char *bytes;
	size_t length, room;
};

static void append(struct growing *to, const char *bytes, size_t length)
{
	if (to->length + length > to->room) {
		to->room = 2 * (to->length + length) + 64;
		to->bytes = xrealloc(to->bytes, to->room);
	}
	memcpy(to->bytes + to->length, bytes, length);
	to->length += length;
}

/* & is what was found, \& is an ampersand, \\ a backslash before one. */
static void append_replacement(struct growing *to, const struct text *with,
			       const char *found, size_t length)
{
	const char *at = with->bytes, *end = at + with->length;

	for (; at < end; at++) {
		if (at[0] == '\\' && (at[1] == '&' || at[1] == '\\'))
			append(to, ++at, 1);
		else if (*at == '&')
			append(to, found, length);
		else
			append(to, at, 1);
	}
}

static int replace(struct growing *to, struct regex *regex,
		   const struct text *with, const struct text *in, bool all)
{
	struct match found[REGEX_GROUPS];
	size_t from = 0, done = 0;
	int count = 0;

	while (from <= in->length &&
	       regex_search(regex, in->bytes, in->length, from, found)) {
		size_t start = found[0].start, end = found[0].end;

		from = end > start ? end : end + 1;
		/* Nothing, right after what was just replaced, does not count. */
		if (start == end && count && start == done)
			continue;
		append(to, in->bytes + done, start - done);
		append_replacement(to, with, in->bytes + start, end - start);
		done = end;
		count++;
		if (!all)
			break;
	}
	append(to, in->bytes + done, in->length - done);
	return count;
}

struct value substitute(struct node *argument, bool all)
{
	static struct node whole, zero = { .kind = N_CONSTANT };
	struct node *target = argument->next->next;
	struct regex *regex = eval_regex(argument);
	struct text *with = eval_text(argument->next), *in;
	struct growing result = {};
	int count;

	if (!target) {
		zero.constant = value_number(0);
		whole = (struct node){ .kind = N_FIELD, .a = &zero };
		target = &whole;
	}
	in = eval_text(target);
	count = replace(&result, regex, with, in, all);
	if (count) {
		struct value value = value_string(result.bytes, result.length);

		if (target->kind != N_FIELD && target->kind != N_INDEX &&
		    target->kind != N_GLOBAL && target->kind != N_LOCAL)
			fatal("sub needs something that can be changed");
		value = assign(target, value);
		value_free(&value);
	}
	free(result.bytes);
	text_put(with);
	text_put(in);
	return value_number(count);
}
