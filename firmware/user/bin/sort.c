/* SPDX-License-Identifier: GPL-2.0-only */
/* sort [-bfnrsu] [-t C] [-k FROM[,TO]]... [-o FILE] [FILE]... */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BLANKS = 1,		/* -b: leading blanks do not count */
	FOLD = 2,
	NUMERIC = 4,
	REVERSE = 8,
};

/* Fields and characters are numbered from 1; 0: none was given. */
struct place {
	unsigned long field;
	unsigned long character;
	int order;
};

struct key {
	struct place from;
	struct place to;
	int order;
	struct key *next;
};

static struct key *keys;
static int order;
static int separator = -1;
static bool stable, unique;

static char **lines;
static size_t count, room;

static int order_flag(char c)
{
	switch (c) {
	case 'b': return BLANKS;
	case 'f': return FOLD;
	case 'n': return NUMERIC;
	case 'r': return REVERSE;
	default: return 0;
	}
}

static const char *parse_place(const char *text, struct place *place)
{
	char *end;

	place->field = strtoul(text, &end, 10);
	if (end == text || place->field == 0)
		errx(2, "invalid number at field start: invalid count at "
		     "start of '%s'", text);
	place->character = 0;
	if (*end == '.')
		place->character = strtoul(end + 1, &end, 10);
	for (place->order = 0; order_flag(*end); end++)
		place->order |= order_flag(*end);
	return end;
}

static void add_key(const char *text)
{
	struct key *key = calloc(1, sizeof(*key));
	struct key **last = &keys;
	const char *end = parse_place(text, &key->from);

	if (*end == ',')
		end = parse_place(end + 1, &key->to);
	if (*end)
		errx(2, "stray character in field spec: invalid field "
		     "specification '%s'", text);
	key->order = key->from.order | key->to.order;
	while (*last)
		last = &(*last)->next;
	*last = key;
}

/* Where the field begins; an earlier end of the line is one too. */
static const char *field_start(const char *line, unsigned long field)
{
	while (--field > 0 && *line) {
		if (separator >= 0) {
			while (*line && *line != separator)
				line++;
			if (*line)
				line++;
		} else {
			while (isblank(*line))
				line++;
			while (*line && !isblank(*line))
				line++;
		}
	}
	return line;
}

static const char *key_start(const char *line, const struct key *key, int flags)
{
	line = field_start(line, key->from.field);
	if (flags & BLANKS)
		while (isblank(*line))
			line++;
	for (unsigned long n = key->from.character; n > 1 && *line; n--)
		line++;
	return line;
}

static const char *key_end(const char *line, const struct key *key)
{
	if (key->to.field == 0)
		return line + strlen(line);
	line = field_start(line, key->to.field);
	if (key->to.character) {
		if (key->to.order & BLANKS)
			while (isblank(*line))
				line++;
		for (unsigned long n = key->to.character; n > 0 && *line; n--)
			line++;
		return line;
	}
	if (separator < 0)
		while (isblank(*line))
			line++;
	while (*line && (separator >= 0 ? *line != separator : !isblank(*line)))
		line++;
	return line;
}

/* A decimal number: its sign, digits and digits after the point. */
struct decimal {
	bool negative;
	const char *digits;
	size_t length;
	const char *fraction;
	size_t fraction_length;
};

static struct decimal parse_decimal(const char *at, const char *end)
{
	struct decimal d = { .negative = false };

	while (at < end && isblank(*at))
		at++;
	if (at < end && *at == '-') {
		d.negative = true;
		at++;
	}
	while (at < end && *at == '0')
		at++;
	d.digits = at;
	while (at < end && isdigit(*at))
		at++;
	d.length = at - d.digits;
	d.fraction = at + 1;
	if (at < end && *at == '.')
		for (at++; at < end && isdigit(*at); at++)
			d.fraction_length = at + 1 - d.fraction;
	while (d.fraction_length &&
	       d.fraction[d.fraction_length - 1] == '0')
		d.fraction_length--;
	if (!d.length && !d.fraction_length)
		d.negative = false;
	return d;
}

static int compare_magnitude(const struct decimal *a, const struct decimal *b)
{
	size_t shorter = a->fraction_length < b->fraction_length ?
			 a->fraction_length : b->fraction_length;
	int result;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	result = memcmp(a->digits, b->digits, a->length);
	if (!result)
		result = memcmp(a->fraction, b->fraction, shorter);
	if (result)
		return result;
	return (a->fraction_length > shorter) - (b->fraction_length > shorter);
}

static int compare_numbers(const char *a, const char *a_end, const char *b,
			   const char *b_end)
{
	struct decimal x = parse_decimal(a, a_end);
	struct decimal y = parse_decimal(b, b_end);

	if (x.negative != y.negative)
		return x.negative ? -1 : 1;
	return x.negative ? compare_magnitude(&y, &x) :
			    compare_magnitude(&x, &y);
}

static int compare_texts(const char *a, const char *a_end, const char *b,
			 const char *b_end, int flags)
{
	for (; a < a_end && b < b_end; a++, b++) {
		int x = (unsigned char)*a, y = (unsigned char)*b;

		if (flags & FOLD) {
			x = toupper(x);
			y = toupper(y);
		}
		if (x != y)
			return x - y;
	}
	return (a < a_end) - (b < b_end);
}

static int compare_parts(const char *a, const char *a_end, const char *b,
			 const char *b_end, int flags)
{
	int result;

	if (flags & NUMERIC)
		result = compare_numbers(a, a_end, b, b_end);
	else
		result = compare_texts(a, a_end, b, b_end, flags);
	return flags & REVERSE ? -result : result;
}

static const char *skip(const char *line, int flags)
{
	while (flags & BLANKS && isblank(*line))
		line++;
	return line;
}

static int compare_keys(const char *a, const char *b)
{
	if (!keys) {
		const char *x = skip(a, order), *y = skip(b, order);

		return compare_parts(x, x + strlen(x), y, y + strlen(y), order);
	}
	for (struct key *key = keys; key; key = key->next) {
		int flags = key->order ? key->order : order;
		const char *x = key_start(a, key, flags);
		const char *y = key_start(b, key, flags);
		const char *x_end = key_end(a, key), *y_end = key_end(b, key);
		int result = compare_parts(x, x_end < x ? x : x_end,
					   y, y_end < y ? y : y_end, flags);

		if (result)
			return result;
	}
	return 0;
}

/* Equal keys: the whole lines decide, but not where only one will stay. */
static int compare(const char *a, const char *b)
{
	int result = compare_keys(a, b);

	if (result || stable || unique)
		return result;
	result = strcmp(a, b);
	return order & REVERSE ? -result : result;
}

/* Lines that compare equal keep their order. */
static void merge_sort(char **items, char **spare, size_t n)
{
	size_t half = n / 2, left = 0, right = half;

	if (n < 2)
		return;
	merge_sort(items, spare, half);
	merge_sort(items + half, spare, n - half);
	memcpy(spare, items, n * sizeof(*items));
	for (size_t i = 0; i < n; i++)
		items[i] = right == n || (left < half &&
			   compare(spare[left], spare[right]) <= 0) ?
			   spare[left++] : spare[right++];
}

static void read_lines(FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while ((length = getline(&line, &size, f)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (count == room) {
			room = room ? 2 * room : 64;
			lines = xrealloc(lines, room * sizeof(*lines));
		}
		lines[count++] = xstrdup(line);
	}
	free(line);
}

static const struct long_option names[] = {
	{ "ignore-leading-blanks", 'b' }, { "ignore-case", 'f' },
	{ "numeric-sort", 'n' }, { "reverse", 'r' }, { "stable", 's' },
	{ "unique", 'u' }, { "field-separator", 't' }, { "key", 'k' },
	{ "output", 'o' }, { NULL, 0 }
};

int main(int argc, char **argv)
{
	const char *output = NULL;
	FILE *out = stdout;
	int option;

	while ((option = getopt_long(argc, argv, "bfnrsut:k:o:", names)) >= 0) {
		switch (option) {
		case 't':
			if (!*optarg || optarg[1])
				errx(2, "multi-character tab '%s'", optarg);
			separator = *optarg;
			break;
		case 'k':
			add_key(optarg);
			break;
		case 'o':
			output = optarg;
			break;
		case 'u':
			unique = true;
			break;
		case 's':
			stable = true;
			break;
		case '?':
			return 2;
		default:
			order |= order_flag(option);
		}
	}
	if (optind == argc)
		read_lines(stdin);
	for (int i = optind; i < argc; i++) {
		bool input = !strcmp(argv[i], "-");
		FILE *f = input ? stdin : fopen(argv[i], "r");

		if (!f)
			errx(2, "cannot read: %s: %s", argv[i], strerror(errno));
		read_lines(f);
		if (ferror(f))
			errx(2, "read failed: %s: %s", argv[i], strerror(errno));
		if (!input)
			fclose(f);
	}
	merge_sort(lines, xmalloc((count + 1) * sizeof(*lines)), count);
	if (output) {
		out = fopen(output, "w");
		if (!out)
			errx(2, "open failed: %s: %s", output, strerror(errno));
	}
	for (size_t i = 0; i < count; i++) {
		if (unique && i > 0 && compare(lines[i - 1], lines[i]) == 0) {
			lines[i] = lines[i - 1];
			continue;
		}
		fputs(lines[i], out);
		fputc('\n', out);
	}
	if (output && fclose(out) < 0)
		err(2, "%s", output);
	return 0;
}
