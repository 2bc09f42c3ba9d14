/* SPDX-License-Identifier: GPL-2.0-only */
/* tr [-cds] SET1 [SET2]: translates, deletes or squeezes characters. */
#include <ctype.h>
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct set {
	unsigned char chars[4096];
	int count;
	int fill;		/* where [c*] may be made longer, or -1 */
};

static void add(struct set *set, int c)
{
	if (set->count < (int)sizeof(set->chars))
		set->chars[set->count++] = c;
}

/* One character, which may be escaped; moves on. */
static int one(const char **at)
{
	static const char names[] = "abfnrtv\\", values[] = "\a\b\f\n\r\t\v\\";
	int c = (unsigned char)*(*at)++;
	const char *name;

	if (c != '\\' || !**at)
		return c;
	c = (unsigned char)*(*at)++;
	name = strchr(names, c);
	if (name)
		return (unsigned char)values[name - names];
	if (c < '0' || c > '7')
		return c;
	c -= '0';
	for (int i = 0; i < 2 && **at >= '0' && **at <= '7'; i++)
		c = c * 8 + *(*at)++ - '0';
	return c & 0xff;
}

/* [:class:], [=c=] or [c*N] at the text; false if it is none. */
static bool add_bracket(struct set *set, const char **at)
{
	const char *end, *text = *at;

	if (text[1] == ':' && (end = strstr(text + 2, ":]"))) {
		int before = set->count;

		for (int c = 0; c < 256; c++)
			if (is_class(c, text + 2, end - text - 2))
				add(set, c);
		if (set->count == before)
			errx(1, "invalid character class '%.*s'",
			     (int)(end - text - 2), text + 2);
		*at = end + 2;
		return true;
	}
	if (text[1] && text[1] != '\\' && text[2] == '*') {
		char *after;
		long count = strtol(text + 3, &after, text[3] == '0' ? 8 : 10);

		if (*after != ']')
			return false;
		if (count == 0)
			set->fill = set->count;
		for (long i = 0; i < (count ? count : 1); i++)
			add(set, (unsigned char)text[1]);
		*at = after + 1;
		return true;
	}
	if (text[1] == '=' && text[2] && text[3] == '=' && text[4] == ']') {
		add(set, (unsigned char)text[2]);
		*at = text + 5;
		return true;
	}
	return false;
}

static void parse(struct set *set, const char *text)
{
	const char *start = text;

	set->count = 0;
	set->fill = -1;
	while (*text) {
		int low, high;

		if (*text == '[' && add_bracket(set, &text))
			continue;
		low = one(&text);
		if (text[0] != '-' || !text[1]) {
			add(set, low);
			continue;
		}
		text++;
		high = one(&text);
		if (high < low)
			errx(1, "range-endpoints of '%s' are in reverse "
			     "collating sequence order", start);
		for (int c = low; c <= high; c++)
			add(set, c);
	}
}

static void complement(struct set *set)
{
	bool in[256] = { false };

	for (int i = 0; i < set->count; i++)
		in[set->chars[i]] = true;
	set->count = 0;
	for (int c = 0; c < 256; c++)
		if (!in[c])
			add(set, c);
}

/* Makes the second set as long as the first. */
static void extend(struct set *set, int count)
{
	int at = set->fill >= 0 ? set->fill : set->count - 1;
	int by = count - set->count;

	if (by <= 0 || set->count == 0)
		return;
	memmove(set->chars + at + by, set->chars + at, set->count - at);
	memset(set->chars + at, set->chars[at + by], by);
	set->count += by;
}

int main(int argc, char **argv)
{
	static struct set first, second;
	bool inverted = false, delete = false, squeeze = false;
	bool deleted[256] = { false }, squeezed[256] = { false };
	unsigned char map[256];
	char data[BUFSIZ];
	int option, last = -1, operands;
	ssize_t got;

	while ((option = getopt(argc, argv, "+cCdst")) >= 0) {
		if (option == '?')
			return 1;
		inverted |= option == 'c' || option == 'C';
		delete |= option == 'd';
		squeeze |= option == 's';
	}
	operands = argc - optind;
	if (operands == 0)
		errx(1, "missing operand");
	if (operands < 2 && !delete && !squeeze)
		errx(1, "missing operand after '%s'", argv[optind]);
	if (operands > 2 || (delete && !squeeze && operands > 1))
		errx(1, "extra operand '%s'", argv[argc - 1]);
	parse(&first, argv[optind]);
	if (inverted)
		complement(&first);
	if (operands > 1)
		parse(&second, argv[optind + 1]);
	for (int c = 0; c < 256; c++)
		map[c] = c;
	if (operands > 1 && !delete) {
		if (second.count == 0)
			errx(1, "when not truncating set1, string2 must be "
			     "non-empty");
		extend(&second, first.count);
		for (int i = 0; i < first.count; i++)
			map[first.chars[i]] = second.chars[i];
	}
	for (int i = 0; delete && i < first.count; i++)
		deleted[first.chars[i]] = true;
	if (squeeze) {
		const struct set *set = operands > 1 ? &second : &first;

		for (int i = 0; i < set->count; i++)
			squeezed[set->chars[i]] = true;
	}
	while ((got = read(STDIN_FILENO, data, sizeof(data))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			int c = (unsigned char)data[i];

			if (deleted[c])
				continue;
			c = map[c];
			if (c == last && squeezed[c])
				continue;
			last = c;
			fputc(c, stdout);
		}
	}
	if (got < 0)
		err(1, "read error");
	return 0;
}
